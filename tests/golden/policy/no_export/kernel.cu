void run() {}
