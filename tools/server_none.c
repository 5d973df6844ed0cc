/* SPDX-License-Identifier: MIT
 * A build without libmicrohttpd: the viewer writes its page to a file only.
 */
#include "server.h"

bool server_can_serve(void)
{
    return false;
}

void server_start(server *s)
{
    (void)s;
}

void server_wait(void) {}
