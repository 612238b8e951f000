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
static const unsigned char phone_wire_bytes_js[] = {
#embed "phone/wire/bytes.js"
};
static const unsigned char phone_wire_datagram_js[] = {
#embed "phone/wire/datagram.js"
};
static const unsigned char phone_wire_messages_js[] = {
#embed "phone/wire/messages.js"
};
static const unsigned char phone_wire_samples_js[] = {
#embed "phone/wire/samples.js"
};
static const unsigned char phone_wire_stream_block_js[] = {
#embed "phone/wire/stream-block.js"
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
    {"phone/wire/bytes.js", phone_wire_bytes_js, sizeof phone_wire_bytes_js},
    {"phone/wire/datagram.js", phone_wire_datagram_js, sizeof phone_wire_datagram_js},
    {"phone/wire/messages.js", phone_wire_messages_js, sizeof phone_wire_messages_js},
    {"phone/wire/samples.js", phone_wire_samples_js, sizeof phone_wire_samples_js},
    {"phone/wire/stream-block.js", phone_wire_stream_block_js, sizeof phone_wire_stream_block_js},
    {"roomful.js", roomful_js, sizeof roomful_js},
};
const size_t roomful_page_count = sizeof roomful_pages / sizeof roomful_pages[0];
