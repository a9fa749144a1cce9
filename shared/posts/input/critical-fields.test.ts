import { describe, expect, test } from '@jest/globals';
import { criticalFieldErrors } from './critical-fields.ts';

describe('an unknown field is an error', () => {
  test.each([
    ['schedule_date', 'scheduled_date'],
    ['scheduledDate', 'scheduled_date'],
    ['ScheduledDate', 'scheduled_date'],
    ['scheduled-date', 'scheduled_date'],
    ['schedule_for', 'scheduled_date'],
    ['scheduled_for', 'scheduled_date'],
    ['scheduledFor', 'scheduled_date'],
    ['scheduled_at', 'scheduled_date'],
    ['scheduled_time', 'scheduled_date'],
    ['schedule_time', 'scheduled_date'],
    ['scheduleTime', 'scheduled_date'],
    ['publish_at', 'scheduled_date'],
    ['publishAt', 'scheduled_date'],
    ['publish_date', 'scheduled_date'],
    ['publication_date', 'scheduled_date'],
    ['published_at', 'scheduled_date'],
    ['post_at', 'scheduled_date'],
    ['send_at', 'scheduled_date'],
    ['date', 'scheduled_date'],
    ['schedule', 'scheduled_date'],
    ['sheduled_date', 'scheduled_date'],
    ['scheduled_dat', 'scheduled_date'],
    ['SCHEDULED_DATE', 'scheduled_date'],
    ['timeZone', 'timezone'],
    ['time_zone', 'timezone'],
    ['tz', 'timezone'],
    ['addToQueue', 'add_to_queue'],
    ['add_to_que', 'add_to_queue'],
    ['queue', 'add_to_queue'],
    ['scheduleBestTime', 'schedule_best_time'],
    ['use_best_time', 'schedule_best_time'],
    ['draft', 'POST /posts/validate'],
    ['isDraft', 'POST /posts/validate'],
    ['publish_now', 'without scheduled_date'],
    ['youtube_privacy_stauts', 'youtube_privacy_status'],
    ['youtubePrivacyStatus', 'youtube_privacy_status'],
    ['linkedin_visbility', 'linkedin_visibility'],
    ['pinterest_bord_id', 'pinterest_board_id'],
  ])('when %s probably means a field that decides when, where or whether', (name, advice) => {
    expect(criticalFieldErrors([name])).toEqual([
      { field: name, message: expect.stringContaining(advice), platform: null },
    ]);
    expect(criticalFieldErrors([name])[0]!.message).toMatch(/^\S+ is not a known field\. /);
  });

  test.each([
    'descripton',
    'x_alt_txt',
    'youtube_tag',
    'tags',
    'metadata',
    'external_id',
    'campaign',
    'media',
    'updated_at',
    'created_at',
    'status',
    'destinations',
    'post_id',
    'workspace_id',
    'profile_id',
    'scheduling',
    'posts',
    'sender',
  ])('but not when it is %s', name => expect(criticalFieldErrors([name])).toEqual([]));
});
