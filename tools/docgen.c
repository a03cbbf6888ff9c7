/* docgen.c: makes the manual pages and the bash completion from the table in src/cli/options.c. Runs in the build.
 *
 * docgen man TEMPLATE     copies TEMPLATE to stdout; a line "@OPTIONS command@" becomes the list of that command's
 *                         options, "@COMMANDS@" the list of commands, "@VERSION@" in a line the version
 * docgen completion       the bash completion */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

/* "Ar PATH", or "Cm touched | full | off". */
static void
print_value(const hd_option *option)
{
  if (option->kind != HD_OPTION_CHOICE)
  {
    printf("Ar %s", option->value);
    return;
  }
  printf("Cm ");
  for (const char *c = option->value; *c; c++)
    if (*c == '|')
      printf(" | ");
    else
      putchar(*c);
}

static void
print_option(const hd_option *option)
{
  printf(".It ");
  if (option->letter)
  {
    printf("Fl %c", option->letter);
    if (option->value)
    {
      putchar(' ');
      print_value(option);
    }
    printf(" , ");
  }
  printf("Fl Fl %s", option->name);
  if (option->value)
  {
    printf(" Ns = Ns ");
    print_value(option);
  }
  printf("\n%s", option->manual);
}

static void
print_options(const hd_command *command)
{
  puts(".Bl -tag -width Ds");
  for (size_t i = 0; i < hd_option_count; i++)
    if (hd_option_table[i].commands & command->bit)
      print_option(&hd_option_table[i]);
  puts(".El");
}

static void
print_commands(void)
{
  puts(".Bl -tag -width Ds");
  for (size_t i = 0; i < hd_command_count; i++)
    printf(".It Cm %s\n%c%s.\nSee\n.Xr heddle-%s 1 .\n", hd_command_table[i].name,
           hd_command_table[i].summary[0] - 'a' + 'A', hd_command_table[i].summary + 1, hd_command_table[i].name);
  puts(".It Cm help Op Ar command\nOpen a manual page.\n.El");
}

static int
make_man(const char *path)
{
  FILE *in = fopen(path, "r");
  if (!in)
  {
    perror(path);
    return 1;
  }
  char line[1024], name[32];
  while (fgets(line, sizeof line, in))
  {
    char *version = strstr(line, "@VERSION@");
    if (sscanf(line, "@OPTIONS %31[a-z]@", name) == 1)
    {
      const hd_command *command = hd_command_find(name);
      HD_CHECK(command);
      print_options(command);
    }
    else if (strcmp(line, "@COMMANDS@\n") == 0)
      print_commands();
    else if (version)
      printf("%.*s%s%s", (int) (version - line), line, HD_VERSION, version + strlen("@VERSION@"));
    else
      fputs(line, stdout);
  }
  fclose(in);
  return 0;
}

static void
print_words(const char *choice)
{
  for (const char *c = choice; *c; c++)
    putchar(*c == '|' ? ' ' : *c);
}

static void
make_completion(void)
{
  puts("# bash completion for heddle; made from the table of options\n"
       "_heddle()\n"
       "{\n"
       "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} option=\n"
       "  # bash gives --view=full as three words\n"
       "  if [[ $cur == = ]]; then option=$prev cur=\n"
       "  elif [[ $prev == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]}\n"
       "  else option=$prev\n"
       "  fi");
  printf("  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W '");
  for (size_t i = 0; i < hd_command_count; i++)
    printf("%s ", hd_command_table[i].name);
  puts("help --help --version' -- \"$cur\"))\n    return\n  fi");
  puts("  case $option in");
  for (size_t i = 0; i < hd_option_count; i++)
  {
    const hd_option *option = &hd_option_table[i];
    if (option->kind == HD_OPTION_CHOICE)
    {
      printf("  --%s) COMPREPLY=($(compgen -W '", option->name);
      print_words(option->value);
      puts("' -- \"$cur\")); return ;;");
    }
    else if (option->value && (strcmp(option->value, "PATH") == 0 || strcmp(option->value, "FILE") == 0))
    {
      printf("  --%s", option->name);
      if (option->letter)
        printf("|-%c", option->letter);
      puts(") COMPREPLY=($(compgen -f -- \"$cur\")); return ;;");
    }
  }
  puts("  esac\n  local words=\n  case $command in");
  for (size_t i = 0; i < hd_command_count; i++)
  {
    printf("  %s) words='", hd_command_table[i].name);
    for (size_t k = 0; k < hd_option_count; k++)
      if (hd_option_table[k].commands & hd_command_table[i].bit)
        printf("--%s ", hd_option_table[k].name);
    puts("' ;;");
  }
  printf("  help) COMPREPLY=($(compgen -W '");
  for (size_t i = 0; i < hd_command_count; i++)
    printf("%s ", hd_command_table[i].name);
  puts("specification libheddle' -- \"$cur\")); return ;;\n  esac");
  puts("  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))");
  for (size_t i = 0; i < hd_command_count; i++)
    if (hd_command_table[i].min_operands == 2) /* the first operand is a word: print|stats|cut LOG */
    {
      printf("  elif [[ $command == %s ]] && ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W '",
             hd_command_table[i].name);
      for (const char *c = hd_command_table[i].operands; *c != ' '; c++)
        putchar(*c == '|' ? ' ' : *c);
      puts("' -- \"$cur\"))");
    }
  puts("  else COMPREPLY=($(compgen -f -- \"$cur\"))\n"
       "  fi\n"
       "}\n"
       "complete -o filenames -F _heddle heddle");
}

int
main(int argc, char **argv)
{
  if (argc == 3 && strcmp(argv[1], "man") == 0)
    return make_man(argv[2]);
  if (argc == 2 && strcmp(argv[1], "completion") == 0)
  {
    make_completion();
    return 0;
  }
  fprintf(stderr, "usage: docgen man TEMPLATE | docgen completion\n");
  return 2;
}
