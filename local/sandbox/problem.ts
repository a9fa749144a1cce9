import * as v from 'valibot';

export interface Issue {
  /** Dotted path to the field; empty for the whole. */
  path: string;
  message: string;
}

export function issuesOf(issues: readonly v.BaseIssue<unknown>[]): Issue[] {
  return issues.map(issue => ({ path: v.getDotPath(issue) ?? '', message: issue.message }));
}

/** A body that is not understood: the control answers 400 with every fault named. */
export class BadRequest extends Error {
  override readonly name = 'BadRequest';
  readonly issues: readonly Issue[];
  constructor(issues: readonly Issue[]) {
    super(issues.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; '));
    this.issues = issues;
  }
}

/** Throws BadRequest unless the value fits. */
export function parsed<S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> {
  const result = v.safeParse(schema, value);
  if (!result.success) throw new BadRequest(issuesOf(result.issues));
  return result.output;
}
