/* meguri devices: which compute devices OpenCL finds on this machine. */
#include "cli.h"

#include <inttypes.h>

static const char *kind_name(meguri_device_kind kind) {
    static const char *const names[] = {"", "gpu", "accelerator", "cpu"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}

static void json_device(meguri_json *json, uint32_t number, const meguri_device_info *d) {
    meguri_json_open(json, NULL, '{');
    meguri_json_number(json, "number", number);
    meguri_json_string(json, "name", d->name);
    meguri_json_string(json, "kind", kind_name(d->kind));
    meguri_json_string(json, "platform", d->platform);
    meguri_json_string(json, "version", d->version);
    meguri_json_string(json, "driver", d->driver);
    meguri_json_number(json, "compute_units", d->units);
    meguri_json_number(json, "memory_bytes", d->memory);
    meguri_json_number(json, "largest_buffer_bytes", d->largest);
    meguri_json_bool(json, "usable", !d->trouble);
    if (d->trouble) meguri_json_string(json, "trouble", d->trouble);
    meguri_json_bool(json, "default", d->chosen);
    meguri_json_close(json, '}');
}

static void print_device(uint32_t number, const meguri_device_info *d) {
    char text[CLI_NUMBER_TEXT];
    printf("%" PRIu32 "  ", number);
    cli_print_text(d->name);
    printf(" (%s, %" PRIu32 " compute unit%s, %s)%s\n   ", kind_name(d->kind), d->units, d->units == 1 ? "" : "s",
           cli_size_text(text, d->memory), d->chosen ? ", the default" : "");
    const char *const parts[] = {d->platform, ", ", d->version, ", driver ", d->driver};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) cli_print_text(parts[i]);
    putchar('\n');
    if (d->trouble) {
        fputs("   cannot be used: ", stdout);
        cli_print_text(d->trouble);
        putchar('\n');
    }
}

static meguri_status list(cli_run *run) {
    bool for_programs = cli_given(&run->args, "json");
    meguri_json json = cli_json_to(stdout);
    uint32_t count = 0;
    const char *why = "";
    meguri_status status = meguri_devices(&count, &why, run->ctx);
    if (status != MEGURI_OK) return status;
    if (for_programs) {
        meguri_json_open(&json, NULL, '{');
        meguri_json_open(&json, "devices", '[');
    }
    for (uint32_t i = 0; i < count && status == MEGURI_OK; i++) {
        meguri_device_info device = {.size = sizeof device};
        status = meguri_device_get_info(&device, run->ctx, i);
        if (status == MEGURI_OK && for_programs) json_device(&json, i, &device);
        else if (status == MEGURI_OK) print_device(i, &device);
    }
    if (for_programs) {
        meguri_json_close(&json, ']');
        if (!count) meguri_json_string(&json, "reason", why);
        meguri_json_close(&json, '}');
        putchar('\n');
    } else if (!count && status == MEGURI_OK) {
        fputs("no devices: ", stdout);
        cli_print_text(why);
        putchar('\n');
    }
    return status;
}

static meguri_status run_devices(cli_run *run) {
    meguri_status status = meguri_ctx_new(&run->ctx, NULL);
    return status == MEGURI_OK ? list(run) : status;
}

CLI_MANUAL(devices);
static const char *const examples[] = {"meguri devices", "meguri devices --json", NULL};
static const cli_option rows[] = {
    {.name = "json", .kind = CLI_FLAG, .help = "the list as one JSON object"},
    {0},
};
static const cli_option *const options[] = {rows, cli_help_options, NULL};

const cli_verb cli_verb_devices = {
    .name = "devices",
    .summary = "list the compute devices of this machine",
    .manual = cli_manual_devices,
    .examples = examples,
    .options = options,
    .run = run_devices,
};
