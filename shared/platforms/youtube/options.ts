import * as v from 'valibot';
import type { Draft } from '../contract/rules.ts';

const text = v.optional(v.string());
const list = v.optional(v.array(v.string()));

/** The platform's fields of a draft, as its rules validated them. */
const OptionsSchema = v.object({
  youtube_category_id: v.optional(v.string(), '22'),
  youtube_privacy_status: v.optional(v.picklist(['public', 'unlisted', 'private']), 'public'),
  youtube_thumbnail_url: text,
  youtube_self_declared_made_for_kids: v.optional(v.boolean(), false),
  youtube_contains_synthetic_media: v.optional(v.boolean(), false),
  youtube_has_paid_product_placement: v.optional(v.boolean(), false),
  youtube_license: v.optional(v.string(), 'youtube'),
  youtube_embeddable: v.optional(v.boolean(), true),
  youtube_public_stats_viewable: v.optional(v.boolean(), true),
  youtube_default_language: text,
  youtube_default_audio_language: text,
  youtube_allowed_countries: list,
  youtube_blocked_countries: list,
  youtube_recording_date: text,
  youtube_caption_url: text,
  youtube_caption_language: v.optional(v.string(), 'en'),
  youtube_playlist_id: text,
});
export type Options = v.InferOutput<typeof OptionsSchema>;

export const optionsOf = ({ options }: Pick<Draft, 'options'>): Options => v.parse(OptionsSchema, options);

/** The countries where a video may or may not be watched, as YouTube takes them; null for no restriction. */
export function restrictionOf(options: Options): { allowed: string[] } | { blocked: string[] } | null {
  const { youtube_allowed_countries: allowed, youtube_blocked_countries: blocked } = options;
  if (allowed && allowed.length > 0) return { allowed: codes(allowed) };
  return blocked && blocked.length > 0 ? { blocked: codes(blocked) } : null;
}

const codes = (countries: readonly string[]) => [...new Set(countries.map(code => code.toUpperCase()))];
