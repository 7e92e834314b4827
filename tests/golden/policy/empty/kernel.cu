// nothing
/* here */

