// The responder's process: how it is started, and what it makes of itself first. libavahi-core runs there alone.
#pragma once

#include <sys/types.h>

/// Starts `program responder` with one end of a socket as its standard input; the other is `socket`.
///
/// It gets nothing else of this process: no descriptor, no blocked signal, and of the environment only what says where
/// libraries are, and whether libavahi-core is wanted.
///
/// Returns 0, or an errno.
int roomful_responder_start(const char *program, pid_t *child, int *socket);

/// What such a process does first: signals that mean its parent are its parent's affair, it can gain no privilege and
/// write no file, and a crash leaves no memory image behind.
void roomful_responder_begin(void);
