/** What the service uses of the SDK to sign URLs: see `sqs.ts`. */
export { GetObjectCommand, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
export { getSignedUrl } from '@aws-sdk/s3-request-presigner';
