"""What the site's workers do: a name, a message, a call. Tasks are sent by name.

Each is made by ``@app.task(name=…, shared=False)``: a shared one would be every app's of the process.
"""
