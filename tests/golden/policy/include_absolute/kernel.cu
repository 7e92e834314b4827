#include "/etc/passwd"
#include </usr/include/stdio.h>
