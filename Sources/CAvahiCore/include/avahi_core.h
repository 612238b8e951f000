// Swift sees these functions through the module CAvahi, so that Avahi's types are declared once.
#include "../../CAvahi/core.h"
#include "../../CAvahi/process.h"
#include "../../CAvahi/opening_question.h"
