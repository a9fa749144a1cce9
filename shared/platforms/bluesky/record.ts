import * as v from 'valibot';
import type { JsonObject } from '../../model/json.ts';
import { toIso } from '../../time/instant.ts';
import type { PublishJob } from '../contract/publisher.ts';
import { altTextOf } from '../kit/draft.ts';
import { BlobSchema, type Blob } from './client.ts';
import type { Facet } from './facets.ts';

/** A picture on the account's server, as a record refers to it. */
export const UploadedSchema = v.object({ blob: BlobSchema, width: v.number(), height: v.number() });
export type Uploaded = v.InferOutput<typeof UploadedSchema>;

const Langs = v.optional(v.array(v.string()), []);

/** The finished record of a post; the same input gives the same JSON. */
export function postRecord(job: PublishJob, facets: readonly Facet[], embed: JsonObject | null): JsonObject {
  const langs = v.parse(Langs, job.options['bluesky_langs']);
  return {
    $type: 'app.bsky.feed.post',
    text: job.text,
    createdAt: createdAt(job),
    ...(facets.length > 0 ? { facets: [...facets] } : {}),
    ...(embed ? { embed } : {}),
    ...(langs.length > 0 ? { langs } : {}),
  };
}

/** True for the record that some attempt of this job made. */
export function isRecordOf(job: PublishJob, record: JsonObject): boolean {
  return record['text'] === job.text && record['createdAt'] === createdAt(job);
}

/** The lexicon requires an alt text for every picture; an empty one says that there is none. */
export function imagesEmbed(job: PublishJob, images: readonly Uploaded[]): JsonObject {
  return {
    $type: 'app.bsky.embed.images',
    images: images.map(({ blob, width, height }, index) => ({
      image: blob,
      alt: altTextOf(job, index) ?? '',
      aspectRatio: { width, height },
    })),
  };
}

export function cardEmbed(
  { uri, title, description }: { uri: string; title: string; description: string },
  thumb: Blob | null,
): JsonObject {
  return {
    $type: 'app.bsky.embed.external',
    external: { uri, title, description, ...(thumb ? { thumb } : {}) },
  };
}

/** The due time, not the time of an attempt: a repetition must send the same record. */
function createdAt({ due_at }: PublishJob): string {
  return toIso(due_at);
}
