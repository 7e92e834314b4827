#inc\ 	
lude <cublas_v2.h>
