package sound

/*
#include <stdio.h>

static int loud(int volume) { return volume > 9; }
*/
import "C"

import "unsafe"

//export goCallback
func goCallback(volume C.int, data unsafe.Pointer) C.int { return C.loud(volume) }

// Quiet is never loud.
func Quiet() bool { return C.loud(0) == 0 }
