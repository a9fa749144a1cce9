const START_OF_TABLE = 'xref\n';
/** Fixed width, so that the length of the document does not change with the offset. */
const OFFSET_DIGITS = 15;

/** A PDF of one page with a line of text. */
export function pdf(): Buffer {
  const stream = 'BT /F1 28 Tf 72 720 Td (A document of one page) Tj ET';
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources << /Font << /F1 4 0 R >> >> >>',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
  ];
  let body = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  return Buffer.from(body + crossReferences(offsets, body.length));
}

function crossReferences(offsets: readonly number[], start: number): string {
  const count = offsets.length + 1;
  const entries = offsets.map(offset => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  return (
    `${START_OF_TABLE}0 ${count}\n0000000000 65535 f \n${entries}` +
    `trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${offsetText(start)}\n%%EOF\n`
  );
}

/** Splits a PDF before its cross-reference table and increases the table's offset by `inserted` bytes. */
export function splitPdf(bytes: Buffer, inserted: number): { head: Buffer; tail: Buffer } {
  const start = bytes.lastIndexOf(`\n${START_OF_TABLE}`) + 1;
  const tail = bytes.toString('latin1', start).replace(offsetText(start), offsetText(start + inserted));
  return { head: bytes.subarray(0, start), tail: Buffer.from(tail, 'latin1') };
}

function offsetText(offset: number): string {
  return String(offset).padStart(OFFSET_DIGITS, '0');
}

/** A web page with a link preview. */
export function webPage(): Buffer {
  return Buffer.from(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A page about hills</title>
<meta property="og:title" content="A page about hills">
<meta property="og:description" content="Three hills, one sun, and nobody in a hurry.">
<meta property="og:image" content="photo.jpg">
</head><body><h1>A page about hills</h1><p>Three hills, one sun, and nobody in a hurry.</p></body></html>
`);
}

/** Captions for the six seconds of the clips. */
export const captions = (): Buffer =>
  Buffer.from(`1
00:00:00,500 --> 00:00:02,500
Three hills, one sun,

2
00:00:03,000 --> 00:00:05,500
and nobody in a hurry.
`);
