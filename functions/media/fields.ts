import * as v from 'valibot';
import { idField, nameOfLength } from '../../shared/http/fields.ts';
import { fileUrl } from '../../shared/media/file-url.ts';

const MAX_TITLE = 500;
/** Less than in a post, so that a page of assets fits into a response. */
const MAX_URL = 2048;
const MAX_SOURCE_TYPE = 50;
/** About thirty years; DynamoDB's numbers are limited. */
const MAX_SECONDS = 1e9;

const measure = v.pipe(v.number(), v.finite('Must be a number'), v.minValue(0, 'Must not be negative'));

export const assetFields = {
  title: nameOfLength(MAX_TITLE),
  profile_id: idField,
  public_url: fileUrl(MAX_URL),
  source_type: v.nullish(nameOfLength(MAX_SOURCE_TYPE), 'url'),
  duration: v.nullish(
    v.pipe(
      measure,
      v.maxValue(MAX_SECONDS, `Must be at most ${MAX_SECONDS} seconds`),
      v.transform(seconds => Math.round(seconds * 1000) / 1000),
    ),
    null,
  ),
  size: v.nullish(
    v.pipe(measure, v.integer('Must be whole bytes'), v.maxValue(Number.MAX_SAFE_INTEGER, 'Is too large')),
    null,
  ),
};

export type AssetInput = v.InferOutput<v.ObjectSchema<typeof assetFields, undefined>>;
