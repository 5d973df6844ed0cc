/* SPDX-License-Identifier: MIT
 * Opens an address in the user's browser. The address is secret, but command lines are not: the browser is given a page
 * that redirects to it, in a folder that only this user can read. */
#ifndef CAROM_TOOLS_VIEWER_BROWSER_H
#define CAROM_TOOLS_VIEWER_BROWSER_H

/* That folder and page; empty strings if there are none. */
typedef struct browser {
    char folder[256], page[256 + 16];
} browser;

/* Without a desktop nothing happens: print the address in any case. */
void browser_open(browser *b, const char *address);
void browser_forget(const browser *b); /* removes the page; once the browser has read it */

#endif
