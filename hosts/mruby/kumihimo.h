/*
 * Kumihimo for a plain mruby program: Kumihimo (any format), JSON, MessagePack, Regexp, URI, HTML, Time's texts,
 * Query, Cookies, Multipart.
 *
 *     mrb_state *mrb = mrb_open();
 *     kumihimo_mruby_define(mrb);
 *
 * Link with kumihimo_mruby before mruby. Call it once per mrb_state, before scripts run.
 */
#ifndef KUMIHIMO_MRUBY_H
#define KUMIHIMO_MRUBY_H

struct mrb_state;

#ifdef __cplusplus
extern "C" {
#endif

void kumihimo_mruby_define(struct mrb_state* mrb);

#ifdef __cplusplus
}
#endif

#endif
