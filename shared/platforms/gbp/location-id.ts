import * as v from 'valibot';

/** The names of the APIs are accepted too; the value is the id of the target. */
export const locationId = (description: string) =>
  v.optional(
    v.pipe(
      v.string('Must be a string'),
      v.trim(),
      v.regex(
        /^(?:(?:accounts\/\d+\/)?locations\/)?\d+$/,
        'Must be a location id as returned by GET /integrations/gbp/targets: digits, also after locations/',
      ),
      v.description(description),
      v.transform(name => name.slice(name.lastIndexOf('/') + 1)),
    ),
  );
