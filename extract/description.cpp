#include "extract/description.hpp"

#include <array>
#include <initializer_list>
#include <limits>
#include <new>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "engine/formats.hpp"
#include "engine/json/path.hpp"
#include "engine/json/reader.hpp"
#include "engine/tape/cursor.hpp"
#include "engine/tape/tape.hpp"
#include "extract/binary.hpp"
#include "extract/dialect_reader.hpp"
#include "extract/hex.hpp"
#include "extract/rewrite.hpp"
#include "extract/row_plan.hpp"
#include "extract/schema.hpp"

namespace kumihimo::inline v0::extract {
namespace {

using tape::cursor;
using tape::kind;

constexpr std::size_t deepest = 8;

constexpr std::array<std::string_view, 48> members = {"inputs",
                                                      "fields",
                                                      "form",
                                                      "match",
                                                      "level",
                                                      "layout",
                                                      "on_error",
                                                      "jobs",
                                                      "source",
                                                      "limit",
                                                      "delimiter",
                                                      "sample",
                                                      "depth",
                                                      "document_size",
                                                      "ratio",
                                                      "widen",
                                                      "chart",
                                                      "rewritable",
                                                      "format",
                                                      "to",
                                                      "to_dialect",
                                                      "frame",
                                                      "frame_level",
                                                      "block_size",
                                                      "dialect",
                                                      "where",
                                                      "distinct",
                                                      "distinct_size",
                                                      "sample_rows",
                                                      "seed",
                                                      "limit_per_archive",
                                                      "rows",
                                                      "rows_outer",
                                                      "nested_types",
                                                      "nested",
                                                      "password",
                                                      "joined",
                                                      "fetched",
                                                      "shown",
                                                      "infer",
                                                      "fold",
                                                      "resume_token",
                                                      "pause_every",
                                                      "every",
                                                      "time",
                                                      "zone",
                                                      "gaps",
                                                      "open_intervals"};

std::string_view text_of(cursor c) {
    text t;
    if (c.get(t) != errc::ok) return {};
    return {static_cast<const char*>(t.data), t.size};  // of a tape from JSON: ASCII or UTF-8
}

// One description. The first mistake is kept; what is read after it means nothing.
class reading_of {
public:
    reading_of(cursor root, std::string& why) : root_(root), why_(why) {}
    bool ok() const noexcept { return ok_; }

    void refuse(std::string why) {
        if (ok_) why_ = std::move(why);
        ok_ = false;
    }
    // Empty when the member is left out or null.
    cursor at(const char* name) const {
        const cursor c = root_[name];
        return c.is(kind::null) ? cursor() : c;
    }
    void wrong(const char* name, const char* wanted) { refuse(std::string(name) + " is " + wanted + " in the description"); }

    void wrong_list(const char* name) { wrong(name, "a list of texts"); }

    void known_members() {
        for (cursor k = root_.first(); k; k = k.next()) {
            bool known = false;
            for (const std::string_view m : members) known = known || text_of(k) == m;
            if (!known) refuse("the description has no member \"" + std::string(text_of(k)) + "\"");
            k = k.next();
        }
    }
    template <class T>
    void number(const char* name, T& out) {
        const cursor c = at(name);
        std::uint64_t n = 0;
        if (!c) return;
        if (c.get(n) != errc::ok || n > std::numeric_limits<T>::max()) return wrong(name, "a whole number, not below 0,");
        out = static_cast<T>(n);
    }
    void flag(const char* name, bool& out) {
        const cursor c = at(name);
        if (c && c.get(out) != errc::ok) wrong(name, "true or false");
    }
    template <class T>
    void choice(const char* name, T& out, std::initializer_list<std::pair<std::string_view, T>> of) {
        const cursor c = at(name);
        if (!c) return;
        std::string all;
        for (const auto& [word, value] : of) {
            if (c.is(kind::str) && text_of(c) == word) return void(out = value);
            all += (all.empty() ? "'" : ", '") + std::string(word) + "'";
        }
        if (!c.is(kind::str)) return wrong(name, "text");
        refuse(std::string(name) + " is one of " + all + ", not '" + std::string(text_of(c)) + "'");
    }
    // Bytes as text, or {"hex": "..."}.
    void names(const char* name, std::vector<std::string>& out) {
        const cursor all = at(name);
        if (!all) return;
        constexpr const char* wanted = "a list of texts, or {\"hex\": \"...\"} each,";
        if (!all.is(kind::array)) return wrong(name, wanted);
        for (cursor c = all.first(); c && ok_; c = c.next()) {
            std::string& one = out.emplace_back();
            if (c.is(kind::str))
                one = text_of(c);
            else if (!c.is(kind::map) || c.size() != 1 || !c["hex"].is(kind::str) || !from_hex(text_of(c["hex"]), one))
                wrong(name, wanted);
        }
    }
    void fields(std::vector<column_spec>& out) {
        const cursor all = at("fields");
        if (!all) return;
        if (!all.is(kind::array)) return wrong("fields", "a list");
        for (cursor c = all.first(); c && ok_; c = c.next()) {
            column_spec& f = out.emplace_back();
            std::string why;
            if (c.is(kind::str)) {
                if (parse_field(text_of(c), f, why) == errc::ok) continue;
                std::string_view text = text_of(c);
                aggregate how{};
                if (split_aggregate(text, how))
                    why += std::string("; ") + name(how) + " is of intervals: say how long they are (every)";
                refuse(why);
            } else {
                field(c, f);
            }
        }
    }

    // The inputs that the host brings, in the order of all.
    void fetched(const std::vector<std::string>& inputs, std::shared_ptr<fetch_list>& out) {
        std::vector<std::string> named, order;
        names("fetched", named);
        if (named.empty()) return;
        const std::unordered_set<std::string> these(named.begin(), named.end()), all(inputs.begin(), inputs.end());
        for (const std::string& one : named)
            if (all.count(one) == 0) return refuse("fetched names what is no input: " + one);
        for (const std::string& one : inputs)
            if (these.count(one) != 0) order.push_back(one);
        out = std::make_shared<fetch_list>(std::move(order));
    }

    // Intervals of time in place of the rows.
    void intervals(request& out) {
        resampling& how = out.resample.emplace();
        std::string why;
        if (!at("every").is(kind::str)) return wrong("every", "text");
        if (parse_interval(text_of(at("every")), how.every, why) != errc::ok) return refuse(why);
        word("zone", how.zone_name);
        if (!how.zone_name.empty()) how.in_zone = zone::fixed(how.zone_name);
        choice<gaps>("gaps", how.between, {{"skip", gaps::skip}, {"empty", gaps::empty}, {"carry", gaps::carry}});
        number("open_intervals", how.open);
        if (out.source)
            return refuse("every makes a row of many documents, and source says where one comes from: leave that out");
        if (const cursor c = at("time"); c && c.is(kind::str)) {
            if (parse_field(text_of(c), how.time.emplace(), why) != errc::ok) return refuse("time: " + why);
        } else if (c) {
            field(c, how.time.emplace());
        }
        const cursor all = at("fields");
        if (all && !all.is(kind::array)) return wrong("fields", "a list");
        for (cursor c = all ? all.first() : cursor(); c && ok_; c = c.next()) resampled(c, how);
        if (!ok_) return;
        if (out.elements && !how.time)
            return refuse("time is missing: where elements are rows it is not looked for. Name it, such as $.timestamp");
        if (how.columns(out.fields, why) != errc::ok) refuse(why);
    }

    // Whether a field's text has its column's name.
    static bool names_itself(std::string_view text, const column_spec& f) {
        if (text.substr(0, f.name.size() + 1) == f.name + '=') return true;
        json::path steps;
        context ctx;
        std::size_t dots = 0;
        return text[0] == '"' && parse_column_path(f.path, dots, steps, ctx) == errc::ok && f.name != default_name(steps);
    }

    // A field of intervals. One that says nothing of what is made of it is their time.
    void resampled(cursor c, resampling& how) {
        resampling::field f;
        std::string why;
        bool any = false, calculated = c.is(kind::map) && c["expression"].is(kind::str);
        if (c.is(kind::str)) {
            std::string_view text = text_of(c), named;
            std::string whole;
            if (const std::size_t sign = sign_of_calculation(text); sign != std::string_view::npos) {
                // Its aggregate stands behind the name and the type.
                calculated = true;
                named = text.substr(0, sign);
                while (named.ends_with(' ')) named.remove_suffix(1);
                any = split_aggregate(named, f.how);
                whole = std::string(named) + ' ' + std::string(text.substr(sign));
                text = whole;
            } else {
                any = split_aggregate(text, f.how);
            }
            if (parse_field(text, f.of, why) != errc::ok) return refuse(why + "; of intervals there are " + aggregate_names());
            f.named = calculated || names_itself(text, f.of);
        } else {
            std::string word;
            field(c, f.of, &word);
            f.named = c["name"].is(kind::str);
            any = aggregate_by_name(word, f.how);
            if (ok_ && !any && !word.empty()) return refuse("aggregate is one of " + aggregate_names() + ", not " + word);
        }
        if (ok_ && calculated && !any)
            return refuse("field \"" + f.of.name + "\" is calculated and does not say what is made of its values, such as " +
                          f.of.name + ":last := ... (" + aggregate_names() +
                          "); to run intervals along it, name it as their time (time)");
        if (!ok_) return;
        if (any) {
            how.fields.push_back(std::move(f));
        } else if (!how.time) {
            how.time = std::move(f.of);
        } else {
            refuse("field \"" + f.of.name + "\" does not say what is made of its values, such as " + definition(f.of) +
                   ":last (" + aggregate_names() + "); the time that intervals run along is \"" + how.time->name + '"');
        }
    }

    // Which of the rows.
    void chosen(options& how, std::span<const column_spec> fields, const std::optional<row_path>& rows) {
        std::string text, mistake;
        word("where", text);
        if (ok_ && at("where")) {
            if (condition::compile(text, how.where, mistake, fields) != errc::ok)
                refuse(std::move(mistake));
            else if (how.where->judges_rows())
                of_rows(*how.where, rows);
        }
        if (const cursor all = at("distinct")) {
            if (!all.is(kind::array)) return wrong_list("distinct");
            for (cursor c = all.first(); c; c = c.next()) {
                if (!c.is(kind::str)) return wrong_list("distinct");
                how.distinct.emplace_back(text_of(c));
            }
        }
        if (how.distinct.empty() && at("distinct_size")) refuse("distinct_size is of distinct: name the columns");
        number("distinct_size", how.distinct_size);
        number("limit_per_archive", how.per_archive);
        std::uint64_t seed = 0;
        number("seed", seed);
        if (at("seed") && !at("sample_rows")) refuse("seed is of sample_rows: name the share of the rows");
        if (const cursor c = at("sample_rows")) {
            double share = 0;
            if (c.get(share) != errc::ok || !(share >= 0 && share <= 1)) return wrong("sample_rows", "a share from 0 to 1");
            how.sample.emplace(share, seed);
        }
    }

    void of_rows(const condition& where, const std::optional<row_path>& rows) {
        if (!rows)
            return refuse("where has a path that begins with a point, but there are no rows in documents that it could be of");
        for (const condition::path& p : where.paths()) {
            if (p.dots > rows->levels())
                return refuse("where: " + p.text + " begins with " + std::to_string(p.dots) +
                              " dots, but there is no array so far around the elements of " + rows->text +
                              "; paths of the document begin with $");
            if (p.key && !rows->members[rows->levels() - p.dots])
                return refuse("where: " + p.text + " is the key of a member, but the rows of " + rows->text +
                              " are elements of an array there");
        }
    }

    // Whether anything is asked of rows, where documents are handed out as they are, or counted.
    static bool names_rows(const request& out) {
        return !out.fields.empty() || out.source || out.chart != 0 || out.elements || out.resample ||
               !out.reading.distinct.empty();
    }

    // What is written where documents are handed out and no rows.
    void blocks(request& out, read_by source) {
        block_options& how = out.blocks;
        if (names_rows(out)) refuse("documents have no columns: fields, rows, every, distinct, source and chart are of rows");
        std::string format, dialect, packed, why;
        if (!at("to")) refuse("to, the format to write, is missing");
        word("to", format);
        word("to_dialect", dialect);
        word("frame", packed);
        if (!ok_) return;
        how.to = rewriter_to(format, dialect, why, std::move(source));
        if (how.to == nullptr) refuse(std::move(why));
        if (!packed.empty() && packed != "none" && (how.frame = frame::by_name(packed)) == nullptr) {
            std::string names = "'none'";
            for (const frame::codec* const known : frame::all()) names += ", '" + std::string(known->name) + "'";
            refuse("frame is one of " + names);
        }
        if (const cursor c = at("frame_level")) {
            std::int64_t level = 0;
            if (c.get(level) != errc::ok) return wrong("frame_level", "a whole number");
            if (how.frame == nullptr) return refuse("frame_level is the level of a frame");
            if (level < how.frame->lowest || level > how.frame->highest)
                return refuse("the levels of " + std::string(how.frame->name) + " are " + std::to_string(how.frame->lowest) +
                              " to " + std::to_string(how.frame->highest));
            how.level = static_cast<int>(level);
        }
        number("block_size", how.size);
        if (how.size < block_options::smallest || how.size > block_options::largest)
            refuse("block_size is at least " + std::to_string(block_options::smallest) + " and at most " +
                   std::to_string(block_options::largest) + " bytes");
    }

    // What a schema is of.
    void of_whole_documents(const request& out) {
        if (names_rows(out))
            refuse("a schema is of whole documents: fields, rows, every, distinct, source and chart are of rows");
        if (out.reading.on_error == policy::null) refuse("on_error is stop, skip or quarantine of a schema, which has no rows");
    }

    // Which arrays' elements are rows.
    void rows(std::optional<row_path>& out) {
        const cursor c = at("rows");
        row_path of;
        flag("rows_outer", of.outer);
        if (!c && of.outer) return refuse("rows_outer is of rows: name the arrays");
        if (!c) return;
        if (!c.is(kind::str)) return wrong("rows", "text");
        std::string why;
        if (parse_rows(text_of(c), of, why) != errc::ok) return refuse(why);
        out = std::move(of);
    }

    void word(const char* name, std::string& out) {
        const cursor c = at(name);
        if (c && !c.is(kind::str)) return wrong(name, "text");
        if (c) out = text_of(c);
    }

private:
    // `made`: it may say what is made of its values.
    void field(cursor c, column_spec& out, std::string* made = nullptr) {
        constexpr const char* wanted = "a text, or an object of name, path or expression, and type, each a text,";
        if (!c.is(kind::map)) return wrong("a field", wanted);
        for (cursor k = c.first(); k; k = k.next()) {
            const std::string_view key = text_of(k);
            k = k.next();
            const bool left_out = k.is(kind::null) && key != "path" && key != "expression";
            const bool known = key == "name" || key == "path" || key == "type" || key == "expression" ||
                               (key == "aggregate" && made != nullptr);
            if (!known || !(k.is(kind::str) || left_out)) return wrong("a field", wanted);
            if (key == "aggregate") *made = text_of(k);
        }
        const bool calculated = c["expression"].is(kind::str);
        if (c["path"].is(kind::str) == calculated || (calculated && !c["name"].is(kind::str))) return wrong("a field", wanted);
        // Nobody sees a field that is taken apart as it was written, so its column is named.
        std::string why;
        const bool named = c["name"].is(kind::str);
        const std::string column = "column \"" + std::string(text_of(c[named ? "name" : "path"])) + "\": ";
        if (c["type"].is(kind::str) && parse_type(text_of(c["type"]), out, why) != errc::ok) return refuse(column + why);
        if (calculated) {
            out.name = text_of(c["name"]);
            if (calculated_column(text_of(c["expression"]), 0, out, why) != errc::ok) refuse(why);
            return;
        }
        json::path parsed;
        if (read_path(std::string(text_of(c["path"])), out, parsed, why) != errc::ok) return refuse(named ? column + why : why);
        out.name = named ? std::string(text_of(c["name"])) : default_name(parsed);
    }

    cursor root_;
    std::string& why_;
    bool ok_ = true;
};

}  // namespace

errc read_description(bytes json, request& out, std::string& why) {
    context ctx;
    ctx.limits.depth = deepest;
    json::reader from(json, ctx, json::unique_keys);
    tape::recorder record(ctx, json);
    tape::view all;
    errc e = from.feed(record);
    if (e == errc::ok) e = record.finish(all);
    if (e == errc::memory) throw std::bad_alloc();
    if (e != errc::ok) {
        why = std::string("the description is not valid: ") + ctx.failure.what;
        if (ctx.failure.offset != failure::nowhere) why += ", at byte " + std::to_string(ctx.failure.offset);
        return errc::misuse;
    }
    const cursor root(all);
    if (!root.is(kind::map)) {
        why = "the description is a JSON object";
        return errc::misuse;
    }
    reading_of d(root, why);
    options& how = out.reading;
    d.known_members();
    d.number("sample", out.sample);
    if (out.sample < 1) d.refuse("sample is at least 1");
    d.names("inputs", out.inputs);
    if (!d.at("inputs")) d.refuse("the description names no inputs");
    d.number("jobs", how.jobs);
    d.names("match", how.read.match);
    d.choice<json::level>(
        "level", how.level,
        {{"strict", json::level::strict}, {"structural", json::level::structural}, {"trusted", json::level::trusted}});
    d.choice<layout>("layout", how.read.text_layout,
                     {{"auto", layout::automatic},
                      {"document", layout::document},
                      {"lines", layout::lines},
                      {"array", layout::array},
                      {"concatenated", layout::concatenated}});
    if (const cursor c = d.at("format")) {
        if (!c.is(kind::str)) d.wrong("format", "text");
        how.read.format = text_of(c);
        if (!how.read.format.empty() && !is_format(how.read.format)) {
            const std::string file = "x." + how.read.format;
            const std::string_view by_ending =
                how.read.format.find('.') == how.read.format.npos ? format_of_path(file) : std::string_view();
            if (by_ending.empty()) d.refuse("format is no format that is known: '" + how.read.format + "'");
            how.read.lines = lines_by_path(file);
            how.read.format = by_ending;
        }
    }
    read_by source{how.read.format, {}};
    d.word("dialect", source.dialect);
    if (d.ok() && !source.dialect.empty()) {
        std::string unknown;
        if (how.read.format.empty()) d.refuse("dialect is a dialect of one format: name that, too");
        how.read.dialect = reader_by(how.read.format, source.dialect, unknown);
        if (!unknown.empty()) d.refuse(std::move(unknown));
        if (!how.read.dialect) source.dialect.clear();
    }
    d.flag("source", out.source);
    d.rows(out.elements);
    if (d.at("every"))
        d.intervals(out);
    else
        d.fields(out.fields);
    for (const char* const name : {"time", "zone", "gaps", "open_intervals"})
        if (!out.resample && d.at(name)) d.refuse(std::string(name) + " is of intervals: say how long they are (every)");
    d.chosen(how, out.fields, out.elements);
    d.choice<policy>(
        "on_error", how.on_error,
        {{"stop", policy::stop}, {"skip", policy::skip}, {"null", policy::null}, {"quarantine", policy::quarantine}});
    d.choice<form>("form", out.rows,
                   {{"columns", form::columns},
                    {"csv", form::csv},
                    {"ndjson", form::ndjson},
                    {"none", form::none},
                    {"documents", form::documents},
                    {"schema", form::schema}});
    d.choice<bool>("infer", out.infer_all, {{"sample", false}, {"all", true}});
    d.number("fold", how.most_keys);
    if (how.most_keys < 1 || how.most_keys > path_summary::most_paths)
        d.refuse("fold is at least 1 and at most " + std::to_string(path_summary::most_paths));
    d.number("chart", out.chart);
    if (const cursor c = d.at("delimiter")) {
        if (!c.is(kind::str) || c.size() != 1)
            d.refuse("delimiter is one character");
        else
            how.csv.delimiter = text_of(c)[0];
    }
    d.number("limit", how.limit);
    d.number("depth", how.document.depth);
    if (d.at("document_size")) {
        d.number("document_size", how.read.allowed.size);
        how.document.size = static_cast<std::size_t>(how.read.allowed.size);
    }
    d.number("ratio", how.read.allowed.ratio);
    d.number("nested", how.read.nested);
    if (how.read.nested > most_nested) d.refuse("nested is at most " + std::to_string(most_nested));
    d.flag("joined", how.read.joined);
    d.fetched(out.inputs, how.read.fetched);
    std::vector<std::string> shown;
    d.names("shown", shown);
    if (shown.size() % 2 != 0) d.refuse("shown has a name for each path");
    for (std::size_t i = 0; i + 1 < shown.size(); i += 2) how.read.shown[std::move(shown[i])] = std::move(shown[i + 1]);
    std::vector<std::string> password;
    d.names("password", password);
    if (password.size() > 1) d.refuse("password is one text in a list");
    if (!password.empty()) how.read.password = std::move(password[0]);
    d.flag("widen", how.widen);
    d.flag("nested_types", out.nested_types);
    d.flag("rewritable", out.rewritable);
    d.number("pause_every", out.pause_every);
    if (std::string token; d.word("resume_token", token), d.ok() && d.at("resume_token")) {
        out.resume.emplace();
        if (!read_token(token, *out.resume)) d.refuse("resume_token is no token that this version of Kumihimo has made");
    }
    if (out.rows == form::documents) d.blocks(out, std::move(source));
    if (out.rows == form::schema) d.of_whole_documents(out);
    return d.ok() ? errc::ok : errc::misuse;
}

}  // namespace kumihimo::inline v0::extract
