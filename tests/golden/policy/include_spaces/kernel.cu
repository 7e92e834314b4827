#include < stdio.h >
