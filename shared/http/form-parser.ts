/** The parser of forms, a file of its own: functions load it when a request brings a form. */
export { Busboy } from '@fastify/busboy';
