// SPDX-License-Identifier: BSD-3-Clause
// Findings as text for people, and as lines of JSON, each a `result` of SARIF 2.1.0, so
// that a report in that format is these lines between a head and a tail. A line is one
// write() to a file that is open for appending, so that all processes share it.
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- text -----------------------------------------------------------------------------

// "heat.c:33 (main)", or NULL without debug information.
static const char *site_source(const struct call_site *site,
                               char text[SOURCE_TEXT_BYTES])
{
    struct source_line found;
    if (site->source != NULL || site->address == NULL)
        return site->source;
    return source_line_find(site->address, &found)
               ? source_line_text(site->address, text)
               : NULL;
}

// "MPI_Put of rank 1 on window halo", as far as that is known.
static void site_print(FILE *out, const struct call_site *site)
{
    if (site->call != NULL)
        fputs(site->call, out);
    if (site->rank != process.rank)
        fprintf(out, "%sof rank %d", site->call ? " " : "", site->rank);
    if (site->object != NULL)
        fprintf(out, " on %s", site->object);
}

static void source_print(FILE *out, const struct call_site *site, const char *color,
                         const char *end)
{
    char text[SOURCE_TEXT_BYTES];
    const char *source = site_source(site, text);
    if (source != NULL)
        fprintf(out, " at %s%s%s", color, source, end);
}

// One line for the first site, with what is wrong, and one for each of the others.
static void finding_print(const char *rule, const char *color,
                          const struct call_site sites[], int count, const char *text)
{
    char *lines = NULL;
    size_t bytes;
    FILE *out = open_memstream(&lines, &bytes);
    if (out == NULL)
        return;
    if (count > 0 && sites[0].call != NULL) {
        site_print(out, &sites[0]);
        fputs(": ", out);
    }
    const char *end = log_color(COLOR_END);
    fprintf(out, "%s %s[%s]%s", text, log_color(color), rule, end);
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            fputs("\n  ", out);
            site_print(out, &sites[i]);
        }
        source_print(out, &sites[i], log_color(COLOR_SOURCE), end);
        if (i > 0 && sites[i].text != NULL)
            fprintf(out, ": %s", sites[i].text);
    }
    fclose(out);
    log_lines(lines);
    free(lines);
}

static void site_label(char *label, size_t bytes, const struct call_site *site,
                       const char *rule)
{
    label[0] = label[bytes - 1] = '\0';
    FILE *out = fmemopen(label, bytes - 1, "w");
    if (out == NULL)
        return;
    if (site != NULL)
        site_print(out, site);
    fprintf(out, "%s[%s]", site ? " " : "", rule);
    if (site != NULL)
        source_print(out, site, "", "");
    fclose(out);
}

// ---- JSON -----------------------------------------------------------------------------

static void json_put(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < ' ')
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    fputc('"', out);
}

// A path as a URI reference (RFC 3986).
static void uri_put(FILE *out, const char *path, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)path[i];
        bool is_plain = c > ' ' && c < 0x7f && strchr("\"%<>\\^`{|}#?", c) == NULL;
        fprintf(out, is_plain ? "%c" : "%%%02X", c);
    }
    fputc('"', out);
}

static void line_put(FILE *out, const char *file, size_t length, int line)
{
    fputs("\"physicalLocation\":{\"artifactLocation\":{\"uri\":", out);
    uri_put(out, file, length);
    fprintf(out, "},\"region\":{\"startLine\":%d}},", line);
}

// The file and the line; nothing if they are not known.
static void source_put(FILE *out, const struct call_site *site)
{
    struct source_line found;
    const char *colon = site->source ? strchr(site->source, ':') : NULL;
    if (colon != NULL && atoi(colon + 1) > 0)
        line_put(out, site->source, (size_t)(colon - site->source), atoi(colon + 1));
    else if (site->source == NULL && site->address != NULL &&
             source_line_find(site->address, &found))
        line_put(out, found.file, strlen(found.file), found.line);
}

static void message_put(FILE *out, const struct call_site *site)
{
    char *text = NULL;
    size_t bytes;
    FILE *words = open_memstream(&text, &bytes);
    if (words == NULL)
        return;
    site_print(words, site);
    if (site->text != NULL)
        fprintf(words, ": %s", site->text);
    fclose(words);
    fputs("\"message\":{\"text\":", out);
    json_put(out, text);
    fputc('}', out);
    free(text);
}

static void location_put(FILE *out, const struct call_site *site)
{
    fputc('{', out);
    source_put(out, site);
    if (site->call != NULL) {
        fputs("\"logicalLocations\":[{\"name\":", out);
        json_put(out, site->call);
        fputs(",\"kind\":\"function\"}],", out);
    }
    message_put(out, site);
    fprintf(out, ",\"properties\":{\"rank\":%d", site->rank);
    if (site->object != NULL) {
        fputs(",\"object\":", out);
        json_put(out, site->object);
    }
    fputs("}}", out);
}

static void locations_put(FILE *out, const char *name, const struct call_site sites[],
                          int count)
{
    fprintf(out, ",\"%s\":[", name);
    for (int i = 0; i < count; i++) {
        if (i > 0)
            fputc(',', out);
        location_put(out, &sites[i]);
    }
    fputc(']', out);
}

static void result_put(FILE *out, const char *rule, const char *level,
                       const struct call_site sites[], int count, const char *text)
{
    fputs("{\"ruleId\":", out);
    json_put(out, rule);
    fprintf(out, ",\"level\":\"%s\",\"message\":{\"text\":", level);
    json_put(out, text);
    fputc('}', out);
    if (count > 0)
        locations_put(out, "locations", sites, 1);
    if (count > 1)
        locations_put(out, "relatedLocations", sites + 1, count - 1);
    fprintf(out, ",\"properties\":{\"rank\":%d}}\n", process.rank);
}

// ---- the file ---------------------------------------------------------------------------

// Errors may come before MPI_Init has read the settings.
static bool report_open(struct findings *findings)
{
    const char *path =
        process.options.are_read ? process.options.report : getenv("ORIEL_REPORT");
    if (findings->file != 0 || path == NULL || *path == '\0')
        return findings->file > 0;
    findings->file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (findings->file < 0)
        log_error("ORIEL_REPORT=%s cannot be written: %s", path, strerror(errno));
    return findings->file > 0;
}

// The lock is held.
static void report_put(const char *rule, const char *level,
                       const struct call_site sites[], int count, const char *text)
{
    char *line = NULL;
    size_t bytes;
    FILE *out = report_open(&process.findings) ? open_memstream(&line, &bytes) : NULL;
    if (out == NULL)
        return;
    result_put(out, rule, level, sites, count, text);
    fclose(out);
    ssize_t written = write(process.findings.file, line, bytes);
    (void)written; // people have got it
    free(line);
}

// ---- each once ----------------------------------------------------------------------

static uint64_t part_hash(uint64_t hash, const char *text)
{
    return text ? hash_go_on(hash, text, strlen(text) + 1) : hash_go_on(hash, "", 1);
}

static uint64_t finding_hash(enum rule rule, const struct call_site sites[], int count,
                             const char *text)
{
    uint64_t hash = text_hash(rule_texts[rule].name);
    bool has_sources = count > 0;
    for (int i = 0; i < count; i++) {
        hash = hash_go_on(hash, &sites[i].address, sizeof sites[i].address);
        hash = part_hash(hash, sites[i].source);
        hash = part_hash(hash, sites[i].call);
        hash = part_hash(hash, sites[i].object);
        has_sources &= sites[i].source != NULL || sites[i].address != NULL;
    }
    return has_sources ? hash : part_hash(hash, text);
}

// Counts one that is known, or adds it while there is room. The lock is held.
static struct known_finding *finding_add(struct findings *findings, uint64_t hash)
{
    findings->total++;
    for (int i = 0; i < findings->count; i++)
        if (findings->known[i].hash == hash) {
            findings->known[i].times++;
            return NULL;
        }
    if (findings->count == FINDINGS_MAX)
        return NULL;
    struct known_finding *known = &findings->known[findings->count++];
    known->hash = hash;
    known->times = 1;
    return known;
}

// The lock is held.
static void finding_tell_once(enum rule rule, const struct call_site sites[], int count,
                              const char *text)
{
    const char *name = rule_texts[rule].name;
    struct known_finding *added =
        finding_add(&process.findings, finding_hash(rule, sites, count, text));
    if (added == NULL)
        return;
    site_label(added->label, sizeof added->label, count > 0 ? sites : NULL, name);
    finding_print(name,
                  rule_texts[rule].level == LEVEL_ERROR ? COLOR_ERROR : COLOR_WARNING,
                  sites, count, text);
    report_put(name, rule_level_name(rule), sites, count, text);
}

void finding_tell(enum rule rule, const struct call_site sites[], int count,
                  const char *format, ...)
{
    char text[FINDING_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    struct call_site own[FINDING_SITES_MAX];
    count = count < FINDING_SITES_MAX ? count : FINDING_SITES_MAX;
    if (count > 0)
        memcpy(own, sites, (size_t)count * sizeof *own);
    if (count > 0 && own[0].address == NULL && own[0].rank == process.rank)
        own[0].address = calling_address();
    pthread_mutex_lock(&process.findings.lock);
    finding_tell_once(rule, own, count, text);
    pthread_mutex_unlock(&process.findings.lock);
}

void finding_tell_error(const char *error_name, const void *address, const char *call,
                        const char *object, const char *text)
{
    struct call_site site = {
        .rank = process.rank, .call = call, .object = object, .address = address};
    finding_print(error_name, COLOR_ERROR, &site, 1, text);
    pthread_mutex_lock(&process.findings.lock);
    report_put(error_name, "error", &site, 1, text);
    pthread_mutex_unlock(&process.findings.lock);
}

static void findings_count(const struct findings *findings)
{
    unsigned rest = findings->total;
    for (int i = 0; i < findings->count; i++) {
        const struct known_finding *known = &findings->known[i];
        rest -= known->times;
        if (known->times > 1)
            log_error("%s: found %u times", known->label, known->times);
    }
    if (rest > 0)
        log_error("%u more findings, after the first %d that differ", rest,
                  findings->count);
}

void findings_close(void)
{
    struct findings *findings = &process.findings;
    pthread_mutex_lock(&findings->lock);
    findings_count(findings);
    if (findings->file > 0)
        close(findings->file);
    findings->file = 0;
    findings->count = 0;
    findings->total = 0;
    pthread_mutex_unlock(&findings->lock);
}
