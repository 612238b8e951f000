// Made by make-list.sh. The bytes come from the files themselves at build time (C23, 6.10.3).
#include "pages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char common_base_css[] = {
#embed "common/base.css"
};
static const unsigned char games_cube_index_html[] = {
#embed "games/cube/index.html"
};
static const unsigned char games_duel_index_html[] = {
#embed "games/duel/index.html"
};
static const unsigned char games_keepcalm_index_html[] = {
#embed "games/keepcalm/index.html"
};
static const unsigned char operator_index_html[] = {
#embed "operator/index.html"
};
static const unsigned char pads_index_html[] = {
#embed "pads/index.html"
};
static const unsigned char phone_index_html[] = {
#embed "phone/index.html"
};
static const unsigned char roomful_js[] = {
#embed "roomful.js"
};

const struct roomful_page roomful_pages[] = {
    {"common/base.css", common_base_css, sizeof common_base_css},
    {"games/cube/index.html", games_cube_index_html, sizeof games_cube_index_html},
    {"games/duel/index.html", games_duel_index_html, sizeof games_duel_index_html},
    {"games/keepcalm/index.html", games_keepcalm_index_html, sizeof games_keepcalm_index_html},
    {"operator/index.html", operator_index_html, sizeof operator_index_html},
    {"pads/index.html", pads_index_html, sizeof pads_index_html},
    {"phone/index.html", phone_index_html, sizeof phone_index_html},
    {"roomful.js", roomful_js, sizeof roomful_js},
};
const size_t roomful_page_count = sizeof roomful_pages / sizeof roomful_pages[0];
