/* sarif.c: what every SARIF 2.1.0 log has in common, whatever it reports. */
#include <ctype.h>
#include <string.h>

#include "base/base.h"

void
hd_sarif_uri(hd_string *out, const char *path)
{
  hd_string uri = {0};
  if (path[0] == '/')
    hd_string_add(&uri, "file://");
  for (; *path; path++)
    if (isalnum((unsigned char) *path) || strchr("/._-~", *path))
      hd_string_add_n(&uri, path, 1);
    else
      hd_string_printf(&uri, "%%%02X", (unsigned char) *path);
  hd_json_string(out, uri.text ? uri.text : "", uri.length);
  hd_string_free(&uri);
}

void
hd_sarif_location(hd_string *out, const char *message, const char *file, int line, const char *function)
{
  const char *comma = "";
  hd_string_add(out, "{");
  if (message)
  {
    hd_string_add(out, "\"message\": {\"text\": ");
    hd_json_string(out, message, strlen(message));
    hd_string_add(out, "}");
    comma = ", ";
  }
  if (file)
  {
    hd_string_printf(out, "%s\"physicalLocation\": {\"artifactLocation\": {\"uri\": ", comma);
    hd_sarif_uri(out, file);
    hd_string_add(out, "}");
    if (line > 0)
      hd_string_printf(out, ", \"region\": {\"startLine\": %d}", line);
    hd_string_add(out, "}");
    comma = ", ";
  }
  if (function)
  {
    hd_string_printf(out, "%s\"logicalLocations\": [{\"kind\": \"function\", \"name\": ", comma);
    hd_json_string(out, function, strlen(function));
    hd_string_add(out, "}]");
  }
  hd_string_add(out, "}");
}

void
hd_sarif_log(hd_string *out, const char *rules, const char *results, const char *summary, bool complete)
{
  hd_string_printf(out,
                   "{\n  \"version\": \"2.1.0\",\n"
                   "  \"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
                   "  \"runs\": [{\n"
                   "    \"tool\": {\"driver\": {\"name\": \"heddle\", \"version\": \"%s\", \"rules\": [\n"
                   "      %s]}},\n"
                   "    \"invocations\": [{\"executionSuccessful\": %s, \"toolExecutionNotifications\": [\n"
                   "      {\"level\": \"note\", \"message\": {\"text\": ",
                   HD_VERSION, rules, complete ? "true" : "false");
  hd_json_string(out, summary, strlen(summary));
  hd_string_printf(out, "}}]}],\n    \"results\": [%s]\n  }]\n}\n", results);
}
