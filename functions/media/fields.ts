import * as v from 'valibot';
import { validationFailed, type Detail } from '../../shared/http/errors.ts';
import { assertPublicUrl, HttpFailure } from '../../shared/net/http.ts';
import { isBlank } from '../../shared/text/normalize.ts';

const MAX_TITLE = 500;
const MAX_URL = 2048;
const MAX_SOURCE_TYPE = 50;

const NO_CONTROLS = /^\P{Cc}*$/u;

const measure = v.pipe(v.number(), v.finite('Must be a number'), v.minValue(0, 'Must not be negative'));

export const assetFields = {
  title: v.pipe(
    v.string(),
    v.trim(),
    v.check(title => !isBlank(title), 'Must not be empty'),
    v.maxLength(MAX_TITLE, `Must have at most ${MAX_TITLE} characters`),
    v.regex(NO_CONTROLS, 'Must not hold control characters'),
  ),
  profile_id: v.pipe(v.string(), v.uuid('Must be a UUID')),
  public_url: v.pipe(
    v.string(),
    v.trim(),
    v.maxLength(MAX_URL, `Must be at most ${MAX_URL} characters`),
    v.url('Must be a URL'),
  ),
  source_type: v.nullish(
    v.pipe(
      v.string(),
      v.trim(),
      v.nonEmpty('Must not be empty'),
      v.maxLength(MAX_SOURCE_TYPE, `Must have at most ${MAX_SOURCE_TYPE} characters`),
      v.regex(NO_CONTROLS, 'Must not hold control characters'),
    ),
    'url',
  ),
  duration: v.nullish(measure, null),
  size: v.nullish(
    v.pipe(measure, v.integer('Must be whole bytes'), v.maxValue(Number.MAX_SAFE_INTEGER, 'Is too large')),
    null,
  ),
};

export type AssetInput = v.InferOutput<v.ObjectSchema<typeof assetFields, undefined>>;

/**
 * Throws 400 where a URL leads to an address that is not public. A name that does not resolve at this moment may do
 * so when the file is fetched, where the address is checked again.
 */
export async function assertReachable(inputs: readonly AssetInput[], fieldOf: FieldOf): Promise<void> {
  const faults = await Promise.all(
    inputs.map(async ({ public_url }, index) => {
      const message = await addressFault(public_url);
      return message === null ? [] : [fault(fieldOf(index, 'public_url'), message)];
    }),
  );
  const details = faults.flat();
  if (details.length > 0) throw validationFailed(details);
}

/** Name of a field in the faults: with its place where the request was an array. */
export type FieldOf = (index: number, name: keyof AssetInput) => string;

export const fault = (field: string, message: string): Detail => ({ field, message, platform: null });

async function addressFault(url: string): Promise<string | null> {
  try {
    await assertPublicUrl(url);
    return null;
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error;
    return error.reason === 'blocked' ? error.message : null;
  }
}
