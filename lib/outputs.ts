/** Names of the stack's outputs, by which operators and `npm run admin` find its parts. */
export const OUTPUTS = {
  baseUrl: 'BaseUrl',
  mediaUrl: 'MediaUrl',
  table: 'TableName',
  bucket: 'BucketName',
  sweeper: 'SweeperName',
  scheduleGroup: 'ScheduleGroupName',
  /** Only with `alarmEmail`. */
  alarmTopic: 'AlarmTopic',
} as const;
