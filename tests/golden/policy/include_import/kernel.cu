#import <stdio.h>
