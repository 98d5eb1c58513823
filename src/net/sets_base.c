/* Packed sets for any processor. */
#define MG_SETS mg_sets_base
#include "net/sets.h"
