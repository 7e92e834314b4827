%:include <cudnn.h>
