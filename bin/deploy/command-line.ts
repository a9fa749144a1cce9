export interface CommandLine {
  /** Values of `-c name=value`. */
  context: Record<string, string>;
  profile: string | null;
}

/** Reads the options of `cdk deploy` by which it chooses a stack and its settings; leaves out the others. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const read: CommandLine = { context: {}, profile: null };
  for (const [index, arg] of args.entries()) {
    const [, option, inline] = /^(-c|--context|--profile)(?:=(.*))?$/s.exec(arg) ?? [];
    const value = inline ?? args[index + 1];
    if (option === undefined || value === undefined) continue;
    if (option === '--profile') read.profile = value;
    else {
      const [name = '', ...rest] = value.split('=');
      read.context[name] = rest.join('=');
    }
  }
  return read;
}
