/** How people write on a platform: what the AI writers follow. What the platform allows is in its rules. */
export interface PlatformStyle {
  /** Length of a usual caption in characters. */
  caption_length: number;
  /** Most hashtags beside a caption. */
  hashtags: number;
  /** Whether the built-in writer separates the parts of a caption by blank lines. */
  paragraphs: boolean;
  /** Whether the built-in writer adds emojis. */
  emojis: boolean;
  /** The customs in words, for a model. */
  guidance: string;
  /** Most different links of a text; further ones are removed. Default: no limit. */
  max_links?: number;
  /** Removes characters that the platform rejects or accepts only so many of. It is not applied to links. */
  sanitize?: (text: string) => string;
}

/** Returns the text with only its first `most` matches of a pattern. For `sanitize`. */
export function keepFirst(text: string, pattern: RegExp, most: number): string {
  let seen = 0;
  return text.replace(pattern, match => {
    seen += 1;
    return seen > most ? '' : match;
  });
}
