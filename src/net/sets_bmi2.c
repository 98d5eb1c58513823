/* Packed sets for processors that move bits together and apart in one instruction. */
#define MG_SETS mg_sets_bmi2
#include "net/sets.h"
