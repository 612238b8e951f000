#ifndef ROOMFUL_PAGES_H
#define ROOMFUL_PAGES_H

#include <stddef.h>

/// A file that the room serves, as it lay in this folder when the program was built: so the program runs from anywhere.
struct roomful_page {
    /// Below the site's root, such as `phone/index.html`.
    const char *path;
    const unsigned char *bytes;
    size_t count;
};

/// The first of all of them, which lie side by side, and how many there are.
extern const struct roomful_page *const roomful_pages;
extern const size_t roomful_page_count;

#endif
