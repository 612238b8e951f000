// Made by make-list.sh. The bytes come from the files themselves at build time (C23, 6.10.3).
#include "pages.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char common_base_css[] = {
#embed "common/base.css"
};
static const unsigned char common_ink_js[] = {
#embed "common/ink.js"
};
static const unsigned char common_language_js[] = {
#embed "common/language.js"
};
static const unsigned char common_lobby_css[] = {
#embed "common/lobby.css"
};
static const unsigned char common_lobby_js[] = {
#embed "common/lobby.js"
};
static const unsigned char common_names_js[] = {
#embed "common/names.js"
};
static const unsigned char common_pace_js[] = {
#embed "common/pace.js"
};
static const unsigned char common_qr_js[] = {
#embed "common/qr.js"
};
static const unsigned char common_room_clock_js[] = {
#embed "common/room-clock.js"
};
static const unsigned char common_room_error_js[] = {
#embed "common/room-error.js"
};
static const unsigned char common_shape_js[] = {
#embed "common/shape.js"
};
static const unsigned char common_timeout_js[] = {
#embed "common/timeout.js"
};
static const unsigned char common_token_js[] = {
#embed "common/token.js"
};
static const unsigned char common_turn_js[] = {
#embed "common/turn.js"
};
static const unsigned char doctor_datagrams_js[] = {
#embed "doctor/datagrams.js"
};
static const unsigned char doctor_doctor_css[] = {
#embed "doctor/doctor.css"
};
static const unsigned char doctor_index_html[] = {
#embed "doctor/index.html"
};
static const unsigned char doctor_main_js[] = {
#embed "doctor/main.js"
};
static const unsigned char games_colors_js[] = {
#embed "games/colors.js"
};
static const unsigned char games_cube_cube_css[] = {
#embed "games/cube/cube.css"
};
static const unsigned char games_cube_icon_svg[] = {
#embed "games/cube/icon.svg"
};
static const unsigned char games_cube_index_html[] = {
#embed "games/cube/index.html"
};
static const unsigned char games_cube_main_js[] = {
#embed "games/cube/main.js"
};
static const unsigned char games_cube_solid_js[] = {
#embed "games/cube/solid.js"
};
static const unsigned char games_duel_duel_css[] = {
#embed "games/duel/duel.css"
};
static const unsigned char games_duel_icon_svg[] = {
#embed "games/duel/icon.svg"
};
static const unsigned char games_duel_index_html[] = {
#embed "games/duel/index.html"
};
static const unsigned char games_duel_judge_js[] = {
#embed "games/duel/judge.js"
};
static const unsigned char games_duel_main_js[] = {
#embed "games/duel/main.js"
};
static const unsigned char games_game_css[] = {
#embed "games/game.css"
};
static const unsigned char games_game_js[] = {
#embed "games/game.js"
};
static const unsigned char games_games_css[] = {
#embed "games/games.css"
};
static const unsigned char games_games_js[] = {
#embed "games/games.js"
};
static const unsigned char games_index_html[] = {
#embed "games/index.html"
};
static const unsigned char games_keepcalm_icon_svg[] = {
#embed "games/keepcalm/icon.svg"
};
static const unsigned char games_keepcalm_index_html[] = {
#embed "games/keepcalm/index.html"
};
static const unsigned char games_keepcalm_keepcalm_css[] = {
#embed "games/keepcalm/keepcalm.css"
};
static const unsigned char games_keepcalm_main_js[] = {
#embed "games/keepcalm/main.js"
};
static const unsigned char games_keepcalm_ranking_js[] = {
#embed "games/keepcalm/ranking.js"
};
static const unsigned char games_keepcalm_results_js[] = {
#embed "games/keepcalm/results.js"
};
static const unsigned char games_keepcalm_rules_js[] = {
#embed "games/keepcalm/rules.js"
};
static const unsigned char games_keepcalm_scene_js[] = {
#embed "games/keepcalm/scene.js"
};
static const unsigned char games_keepcalm_shapes_js[] = {
#embed "games/keepcalm/shapes.js"
};
static const unsigned char games_keepcalm_sound_js[] = {
#embed "games/keepcalm/sound.js"
};
static const unsigned char games_own_svg[] = {
#embed "games/own.svg"
};
static const unsigned char games_pads_svg[] = {
#embed "games/pads.svg"
};
static const unsigned char language_ar_js[] = {
#embed "language/ar.js"
};
static const unsigned char language_de_js[] = {
#embed "language/de.js"
};
static const unsigned char language_en_js[] = {
#embed "language/en.js"
};
static const unsigned char language_es_js[] = {
#embed "language/es.js"
};
static const unsigned char language_fr_js[] = {
#embed "language/fr.js"
};
static const unsigned char language_ja_js[] = {
#embed "language/ja.js"
};
static const unsigned char language_pt_js[] = {
#embed "language/pt.js"
};
static const unsigned char lobby_index_html[] = {
#embed "lobby/index.html"
};
static const unsigned char lobby_lobby_css[] = {
#embed "lobby/lobby.css"
};
static const unsigned char lobby_main_js[] = {
#embed "lobby/main.js"
};
static const unsigned char missing_index_html[] = {
#embed "missing/index.html"
};
static const unsigned char missing_missing_css[] = {
#embed "missing/missing.css"
};
static const unsigned char missing_missing_js[] = {
#embed "missing/missing.js"
};
static const unsigned char operator_data_access_js[] = {
#embed "operator/data/access.js"
};
static const unsigned char operator_data_event_words_js[] = {
#embed "operator/data/event-words.js"
};
static const unsigned char operator_data_motions_js[] = {
#embed "operator/data/motions.js"
};
static const unsigned char operator_data_patience_js[] = {
#embed "operator/data/patience.js"
};
static const unsigned char operator_data_same_trouble_js[] = {
#embed "operator/data/same-trouble.js"
};
static const unsigned char operator_data_watch_js[] = {
#embed "operator/data/watch.js"
};
static const unsigned char operator_figures_device_js[] = {
#embed "operator/figures/device.js"
};
static const unsigned char operator_figures_finish_js[] = {
#embed "operator/figures/finish.js"
};
static const unsigned char operator_figures_format_js[] = {
#embed "operator/figures/format.js"
};
static const unsigned char operator_figures_histogram_js[] = {
#embed "operator/figures/histogram.js"
};
static const unsigned char operator_figures_ring_js[] = {
#embed "operator/figures/ring.js"
};
static const unsigned char operator_figures_sparkline_js[] = {
#embed "operator/figures/sparkline.js"
};
static const unsigned char operator_index_html[] = {
#embed "operator/index.html"
};
static const unsigned char operator_main_js[] = {
#embed "operator/main.js"
};
static const unsigned char operator_operator_css[] = {
#embed "operator/operator.css"
};
static const unsigned char operator_panels_css[] = {
#embed "operator/panels.css"
};
static const unsigned char operator_players_css[] = {
#embed "operator/players.css"
};
static const unsigned char operator_poster_css[] = {
#embed "operator/poster.css"
};
static const unsigned char operator_site_css[] = {
#embed "operator/site.css"
};
static const unsigned char operator_view_animation_js[] = {
#embed "operator/view/animation.js"
};
static const unsigned char operator_view_chosen_js[] = {
#embed "operator/view/chosen.js"
};
static const unsigned char operator_view_deeds_js[] = {
#embed "operator/view/deeds.js"
};
static const unsigned char operator_view_feed_js[] = {
#embed "operator/view/feed.js"
};
static const unsigned char operator_view_keys_js[] = {
#embed "operator/view/keys.js"
};
static const unsigned char operator_view_latency_js[] = {
#embed "operator/view/latency.js"
};
static const unsigned char operator_view_make_js[] = {
#embed "operator/view/make.js"
};
static const unsigned char operator_view_player_row_js[] = {
#embed "operator/view/player-row.js"
};
static const unsigned char operator_view_players_js[] = {
#embed "operator/view/players.js"
};
static const unsigned char operator_view_poster_js[] = {
#embed "operator/view/poster.js"
};
static const unsigned char operator_view_question_js[] = {
#embed "operator/view/question.js"
};
static const unsigned char operator_view_room_bar_js[] = {
#embed "operator/view/room-bar.js"
};
static const unsigned char operator_view_site_rooms_js[] = {
#embed "operator/view/site-rooms.js"
};
static const unsigned char operator_view_ticket_js[] = {
#embed "operator/view/ticket.js"
};
static const unsigned char operator_view_trace_js[] = {
#embed "operator/view/trace.js"
};
static const unsigned char pads_index_html[] = {
#embed "pads/index.html"
};
static const unsigned char pads_pads_css[] = {
#embed "pads/pads.css"
};
static const unsigned char pads_pads_js[] = {
#embed "pads/pads.js"
};
static const unsigned char phone_admission_js[] = {
#embed "phone/admission.js"
};
static const unsigned char phone_haptics_js[] = {
#embed "phone/haptics.js"
};
static const unsigned char phone_index_html[] = {
#embed "phone/index.html"
};
static const unsigned char phone_introduction_js[] = {
#embed "phone/introduction.js"
};
static const unsigned char phone_link_clock_grain_js[] = {
#embed "phone/link/clock-grain.js"
};
static const unsigned char phone_link_delay_js[] = {
#embed "phone/link/delay.js"
};
static const unsigned char phone_link_link_js[] = {
#embed "phone/link/link.js"
};
static const unsigned char phone_link_outgoing_stream_js[] = {
#embed "phone/link/outgoing-stream.js"
};
static const unsigned char phone_link_reliable_js[] = {
#embed "phone/link/reliable.js"
};
static const unsigned char phone_link_uplink_js[] = {
#embed "phone/link/uplink.js"
};
static const unsigned char phone_main_js[] = {
#embed "phone/main.js"
};
static const unsigned char phone_pad_js[] = {
#embed "phone/pad.js"
};
static const unsigned char phone_phone_css[] = {
#embed "phone/phone.css"
};
static const unsigned char phone_refusals_js[] = {
#embed "phone/refusals.js"
};
static const unsigned char phone_sensor_button_log_js[] = {
#embed "phone/sensor/button-log.js"
};
static const unsigned char phone_sensor_health_js[] = {
#embed "phone/sensor/health.js"
};
static const unsigned char phone_sensor_mixer_js[] = {
#embed "phone/sensor/mixer.js"
};
static const unsigned char phone_sensor_motion_sensor_js[] = {
#embed "phone/sensor/motion-sensor.js"
};
static const unsigned char phone_sensor_permission_js[] = {
#embed "phone/sensor/permission.js"
};
static const unsigned char phone_sensor_sign_js[] = {
#embed "phone/sensor/sign.js"
};
static const unsigned char phone_sensor_tap_finder_js[] = {
#embed "phone/sensor/tap-finder.js"
};
static const unsigned char phone_sensor_units_js[] = {
#embed "phone/sensor/units.js"
};
static const unsigned char phone_session_js[] = {
#embed "phone/session.js"
};
static const unsigned char phone_show_cover_js[] = {
#embed "phone/show/cover.js"
};
static const unsigned char phone_show_gesture_buttons_js[] = {
#embed "phone/show/gesture-buttons.js"
};
static const unsigned char phone_show_page_js[] = {
#embed "phone/show/page.js"
};
static const unsigned char phone_show_player_view_js[] = {
#embed "phone/show/player-view.js"
};
static const unsigned char phone_show_words_js[] = {
#embed "phone/show/words.js"
};
static const unsigned char phone_store_js[] = {
#embed "phone/store.js"
};
static const unsigned char phone_ticket_js[] = {
#embed "phone/ticket.js"
};
static const unsigned char phone_transport_connect_js[] = {
#embed "phone/transport/connect.js"
};
static const unsigned char phone_transport_lasting_connection_js[] = {
#embed "phone/transport/lasting-connection.js"
};
static const unsigned char phone_transport_patience_js[] = {
#embed "phone/transport/patience.js"
};
static const unsigned char phone_transport_post_js[] = {
#embed "phone/transport/post.js"
};
static const unsigned char phone_transport_web_socket_js[] = {
#embed "phone/transport/web-socket.js"
};
static const unsigned char phone_wake_lock_js[] = {
#embed "phone/wake-lock.js"
};
static const unsigned char phone_whole_js[] = {
#embed "phone/whole.js"
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
static const unsigned char screen_index_html[] = {
#embed "screen/index.html"
};
static const unsigned char screen_screen_css[] = {
#embed "screen/screen.css"
};
static const unsigned char screen_screen_js[] = {
#embed "screen/screen.js"
};

static const struct roomful_page pages[] = {
    {"common/base.css", common_base_css, sizeof common_base_css},
    {"common/ink.js", common_ink_js, sizeof common_ink_js},
    {"common/language.js", common_language_js, sizeof common_language_js},
    {"common/lobby.css", common_lobby_css, sizeof common_lobby_css},
    {"common/lobby.js", common_lobby_js, sizeof common_lobby_js},
    {"common/names.js", common_names_js, sizeof common_names_js},
    {"common/pace.js", common_pace_js, sizeof common_pace_js},
    {"common/qr.js", common_qr_js, sizeof common_qr_js},
    {"common/room-clock.js", common_room_clock_js, sizeof common_room_clock_js},
    {"common/room-error.js", common_room_error_js, sizeof common_room_error_js},
    {"common/shape.js", common_shape_js, sizeof common_shape_js},
    {"common/timeout.js", common_timeout_js, sizeof common_timeout_js},
    {"common/token.js", common_token_js, sizeof common_token_js},
    {"common/turn.js", common_turn_js, sizeof common_turn_js},
    {"doctor/datagrams.js", doctor_datagrams_js, sizeof doctor_datagrams_js},
    {"doctor/doctor.css", doctor_doctor_css, sizeof doctor_doctor_css},
    {"doctor/index.html", doctor_index_html, sizeof doctor_index_html},
    {"doctor/main.js", doctor_main_js, sizeof doctor_main_js},
    {"games/colors.js", games_colors_js, sizeof games_colors_js},
    {"games/cube/cube.css", games_cube_cube_css, sizeof games_cube_cube_css},
    {"games/cube/icon.svg", games_cube_icon_svg, sizeof games_cube_icon_svg},
    {"games/cube/index.html", games_cube_index_html, sizeof games_cube_index_html},
    {"games/cube/main.js", games_cube_main_js, sizeof games_cube_main_js},
    {"games/cube/solid.js", games_cube_solid_js, sizeof games_cube_solid_js},
    {"games/duel/duel.css", games_duel_duel_css, sizeof games_duel_duel_css},
    {"games/duel/icon.svg", games_duel_icon_svg, sizeof games_duel_icon_svg},
    {"games/duel/index.html", games_duel_index_html, sizeof games_duel_index_html},
    {"games/duel/judge.js", games_duel_judge_js, sizeof games_duel_judge_js},
    {"games/duel/main.js", games_duel_main_js, sizeof games_duel_main_js},
    {"games/game.css", games_game_css, sizeof games_game_css},
    {"games/game.js", games_game_js, sizeof games_game_js},
    {"games/games.css", games_games_css, sizeof games_games_css},
    {"games/games.js", games_games_js, sizeof games_games_js},
    {"games/index.html", games_index_html, sizeof games_index_html},
    {"games/keepcalm/icon.svg", games_keepcalm_icon_svg, sizeof games_keepcalm_icon_svg},
    {"games/keepcalm/index.html", games_keepcalm_index_html, sizeof games_keepcalm_index_html},
    {"games/keepcalm/keepcalm.css", games_keepcalm_keepcalm_css, sizeof games_keepcalm_keepcalm_css},
    {"games/keepcalm/main.js", games_keepcalm_main_js, sizeof games_keepcalm_main_js},
    {"games/keepcalm/ranking.js", games_keepcalm_ranking_js, sizeof games_keepcalm_ranking_js},
    {"games/keepcalm/results.js", games_keepcalm_results_js, sizeof games_keepcalm_results_js},
    {"games/keepcalm/rules.js", games_keepcalm_rules_js, sizeof games_keepcalm_rules_js},
    {"games/keepcalm/scene.js", games_keepcalm_scene_js, sizeof games_keepcalm_scene_js},
    {"games/keepcalm/shapes.js", games_keepcalm_shapes_js, sizeof games_keepcalm_shapes_js},
    {"games/keepcalm/sound.js", games_keepcalm_sound_js, sizeof games_keepcalm_sound_js},
    {"games/own.svg", games_own_svg, sizeof games_own_svg},
    {"games/pads.svg", games_pads_svg, sizeof games_pads_svg},
    {"language/ar.js", language_ar_js, sizeof language_ar_js},
    {"language/de.js", language_de_js, sizeof language_de_js},
    {"language/en.js", language_en_js, sizeof language_en_js},
    {"language/es.js", language_es_js, sizeof language_es_js},
    {"language/fr.js", language_fr_js, sizeof language_fr_js},
    {"language/ja.js", language_ja_js, sizeof language_ja_js},
    {"language/pt.js", language_pt_js, sizeof language_pt_js},
    {"lobby/index.html", lobby_index_html, sizeof lobby_index_html},
    {"lobby/lobby.css", lobby_lobby_css, sizeof lobby_lobby_css},
    {"lobby/main.js", lobby_main_js, sizeof lobby_main_js},
    {"missing/index.html", missing_index_html, sizeof missing_index_html},
    {"missing/missing.css", missing_missing_css, sizeof missing_missing_css},
    {"missing/missing.js", missing_missing_js, sizeof missing_missing_js},
    {"operator/data/access.js", operator_data_access_js, sizeof operator_data_access_js},
    {"operator/data/event-words.js", operator_data_event_words_js, sizeof operator_data_event_words_js},
    {"operator/data/motions.js", operator_data_motions_js, sizeof operator_data_motions_js},
    {"operator/data/patience.js", operator_data_patience_js, sizeof operator_data_patience_js},
    {"operator/data/same-trouble.js", operator_data_same_trouble_js, sizeof operator_data_same_trouble_js},
    {"operator/data/watch.js", operator_data_watch_js, sizeof operator_data_watch_js},
    {"operator/figures/device.js", operator_figures_device_js, sizeof operator_figures_device_js},
    {"operator/figures/finish.js", operator_figures_finish_js, sizeof operator_figures_finish_js},
    {"operator/figures/format.js", operator_figures_format_js, sizeof operator_figures_format_js},
    {"operator/figures/histogram.js", operator_figures_histogram_js, sizeof operator_figures_histogram_js},
    {"operator/figures/ring.js", operator_figures_ring_js, sizeof operator_figures_ring_js},
    {"operator/figures/sparkline.js", operator_figures_sparkline_js, sizeof operator_figures_sparkline_js},
    {"operator/index.html", operator_index_html, sizeof operator_index_html},
    {"operator/main.js", operator_main_js, sizeof operator_main_js},
    {"operator/operator.css", operator_operator_css, sizeof operator_operator_css},
    {"operator/panels.css", operator_panels_css, sizeof operator_panels_css},
    {"operator/players.css", operator_players_css, sizeof operator_players_css},
    {"operator/poster.css", operator_poster_css, sizeof operator_poster_css},
    {"operator/site.css", operator_site_css, sizeof operator_site_css},
    {"operator/view/animation.js", operator_view_animation_js, sizeof operator_view_animation_js},
    {"operator/view/chosen.js", operator_view_chosen_js, sizeof operator_view_chosen_js},
    {"operator/view/deeds.js", operator_view_deeds_js, sizeof operator_view_deeds_js},
    {"operator/view/feed.js", operator_view_feed_js, sizeof operator_view_feed_js},
    {"operator/view/keys.js", operator_view_keys_js, sizeof operator_view_keys_js},
    {"operator/view/latency.js", operator_view_latency_js, sizeof operator_view_latency_js},
    {"operator/view/make.js", operator_view_make_js, sizeof operator_view_make_js},
    {"operator/view/player-row.js", operator_view_player_row_js, sizeof operator_view_player_row_js},
    {"operator/view/players.js", operator_view_players_js, sizeof operator_view_players_js},
    {"operator/view/poster.js", operator_view_poster_js, sizeof operator_view_poster_js},
    {"operator/view/question.js", operator_view_question_js, sizeof operator_view_question_js},
    {"operator/view/room-bar.js", operator_view_room_bar_js, sizeof operator_view_room_bar_js},
    {"operator/view/site-rooms.js", operator_view_site_rooms_js, sizeof operator_view_site_rooms_js},
    {"operator/view/ticket.js", operator_view_ticket_js, sizeof operator_view_ticket_js},
    {"operator/view/trace.js", operator_view_trace_js, sizeof operator_view_trace_js},
    {"pads/index.html", pads_index_html, sizeof pads_index_html},
    {"pads/pads.css", pads_pads_css, sizeof pads_pads_css},
    {"pads/pads.js", pads_pads_js, sizeof pads_pads_js},
    {"phone/admission.js", phone_admission_js, sizeof phone_admission_js},
    {"phone/haptics.js", phone_haptics_js, sizeof phone_haptics_js},
    {"phone/index.html", phone_index_html, sizeof phone_index_html},
    {"phone/introduction.js", phone_introduction_js, sizeof phone_introduction_js},
    {"phone/link/clock-grain.js", phone_link_clock_grain_js, sizeof phone_link_clock_grain_js},
    {"phone/link/delay.js", phone_link_delay_js, sizeof phone_link_delay_js},
    {"phone/link/link.js", phone_link_link_js, sizeof phone_link_link_js},
    {"phone/link/outgoing-stream.js", phone_link_outgoing_stream_js, sizeof phone_link_outgoing_stream_js},
    {"phone/link/reliable.js", phone_link_reliable_js, sizeof phone_link_reliable_js},
    {"phone/link/uplink.js", phone_link_uplink_js, sizeof phone_link_uplink_js},
    {"phone/main.js", phone_main_js, sizeof phone_main_js},
    {"phone/pad.js", phone_pad_js, sizeof phone_pad_js},
    {"phone/phone.css", phone_phone_css, sizeof phone_phone_css},
    {"phone/refusals.js", phone_refusals_js, sizeof phone_refusals_js},
    {"phone/sensor/button-log.js", phone_sensor_button_log_js, sizeof phone_sensor_button_log_js},
    {"phone/sensor/health.js", phone_sensor_health_js, sizeof phone_sensor_health_js},
    {"phone/sensor/mixer.js", phone_sensor_mixer_js, sizeof phone_sensor_mixer_js},
    {"phone/sensor/motion-sensor.js", phone_sensor_motion_sensor_js, sizeof phone_sensor_motion_sensor_js},
    {"phone/sensor/permission.js", phone_sensor_permission_js, sizeof phone_sensor_permission_js},
    {"phone/sensor/sign.js", phone_sensor_sign_js, sizeof phone_sensor_sign_js},
    {"phone/sensor/tap-finder.js", phone_sensor_tap_finder_js, sizeof phone_sensor_tap_finder_js},
    {"phone/sensor/units.js", phone_sensor_units_js, sizeof phone_sensor_units_js},
    {"phone/session.js", phone_session_js, sizeof phone_session_js},
    {"phone/show/cover.js", phone_show_cover_js, sizeof phone_show_cover_js},
    {"phone/show/gesture-buttons.js", phone_show_gesture_buttons_js, sizeof phone_show_gesture_buttons_js},
    {"phone/show/page.js", phone_show_page_js, sizeof phone_show_page_js},
    {"phone/show/player-view.js", phone_show_player_view_js, sizeof phone_show_player_view_js},
    {"phone/show/words.js", phone_show_words_js, sizeof phone_show_words_js},
    {"phone/store.js", phone_store_js, sizeof phone_store_js},
    {"phone/ticket.js", phone_ticket_js, sizeof phone_ticket_js},
    {"phone/transport/connect.js", phone_transport_connect_js, sizeof phone_transport_connect_js},
    {"phone/transport/lasting-connection.js", phone_transport_lasting_connection_js, sizeof phone_transport_lasting_connection_js},
    {"phone/transport/patience.js", phone_transport_patience_js, sizeof phone_transport_patience_js},
    {"phone/transport/post.js", phone_transport_post_js, sizeof phone_transport_post_js},
    {"phone/transport/web-socket.js", phone_transport_web_socket_js, sizeof phone_transport_web_socket_js},
    {"phone/wake-lock.js", phone_wake_lock_js, sizeof phone_wake_lock_js},
    {"phone/whole.js", phone_whole_js, sizeof phone_whole_js},
    {"phone/wire/bytes.js", phone_wire_bytes_js, sizeof phone_wire_bytes_js},
    {"phone/wire/datagram.js", phone_wire_datagram_js, sizeof phone_wire_datagram_js},
    {"phone/wire/messages.js", phone_wire_messages_js, sizeof phone_wire_messages_js},
    {"phone/wire/samples.js", phone_wire_samples_js, sizeof phone_wire_samples_js},
    {"phone/wire/stream-block.js", phone_wire_stream_block_js, sizeof phone_wire_stream_block_js},
    {"roomful.js", roomful_js, sizeof roomful_js},
    {"screen/index.html", screen_index_html, sizeof screen_index_html},
    {"screen/screen.css", screen_screen_css, sizeof screen_screen_css},
    {"screen/screen.js", screen_screen_js, sizeof screen_screen_js},
};

const struct roomful_page *const roomful_pages = pages;
const size_t roomful_page_count = sizeof pages / sizeof pages[0];
