#define H #
H include "/etc/passwd"
