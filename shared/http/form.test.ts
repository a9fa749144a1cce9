import { describe, expect, test } from '@jest/globals';
import { readForm, type FormFile } from './form.ts';

/** Encodes a form as browsers do. */
async function encode(form: FormData): Promise<[Uint8Array, string]> {
  const request = new Request('http://localhost', { method: 'POST', body: form });
  return [new Uint8Array(await request.arrayBuffer()), request.headers.get('content-type')!];
}

describe('a multipart form', () => {
  test('returns its text fields and files', async () => {
    const form = new FormData();
    form.set('profile_name', 'Größe & Co');
    form.set('file', new File([Buffer.from([0, 13, 10, 255])], 'фото "1".png'));
    const { profile_name, file } = await readForm(...(await encode(form)));
    expect(profile_name).toBe('Größe & Co');
    expect((file as FormFile).name).toMatch(/^фото .+\.png$/);
    expect([...(file as FormFile).bytes()]).toEqual([0, 13, 10, 255]);
  });

  test('may contain a file without a name', async () => {
    const form = new FormData();
    form.set('file', new File([Buffer.from([1, 2, 3])], ''));
    const { file } = await readForm(...(await encode(form)));
    expect(file).toMatchObject({ name: '' });
    expect([...(file as FormFile).bytes()]).toEqual([1, 2, 3]);
  });

  test('gives equal files the same digest', async () => {
    const read = async (text: string) => {
      const form = new FormData();
      form.set('file', new File([text], 'a'));
      return (await readForm(...(await encode(form))))['file'] as FormFile;
    };
    expect((await read('one')).sha256).toBe((await read('one')).sha256);
    expect((await read('one')).sha256).not.toBe((await read('two')).sha256);
  });

  test('returns the last of two fields with the same name', async () => {
    const form = new FormData();
    form.append('a', '1');
    form.append('a', '2');
    expect(await readForm(...(await encode(form)))).toEqual({ a: '2' });
  });

  test('is refused with two files of one name', async () => {
    const form = new FormData();
    form.append('file', new File(['one'], 'a.png'));
    form.append('file', new File(['two'], 'b.png'));
    await expect(readForm(...(await encode(form)))).rejects.toMatchObject({
      response: {
        status: 400,
        body: { details: [{ field: 'file', message: 'file must be a single file', platform: null }] },
      },
    });
  });

  test.each([
    ['caf\xe9', 400],
    ['\xf0\x9f\x92', 400],
    ['\xef\xbf\xbd \xf0\x9f\x92', 400],
    ['caf\xc3\xa9', 'café'],
    ['\xef\xbf\xbd', '\ufffd'],
  ])('accepts text in UTF-8 only: %j', async (text, expected) => {
    const type = 'Content-Type: text/plain; charset=utf-8';
    const body = `--x\r\nContent-Disposition: form-data; name="a"\r\n${type}\r\n\r\n${text}\r\n--x--\r\n`;
    const read = readForm(Buffer.from(body, 'latin1'), 'multipart/form-data; boundary=x');
    if (expected === 400)
      await expect(read).rejects.toMatchObject({ response: { body: { code: 'INVALID_UTF8' } } });
    else expect(await read).toEqual({ a: expected });
  });

  test('refuses a file name that is not UTF-8', async () => {
    const body = '--x\r\nContent-Disposition: form-data; name="a"; filename="\xe9"\r\n\r\n1\r\n--x--\r\n';
    await expect(
      readForm(Buffer.from(body, 'latin1'), 'multipart/form-data; boundary=x'),
    ).rejects.toMatchObject({ response: { body: { code: 'INVALID_UTF8' } } });
  });

  test('returns a long text whole', async () => {
    const form = new FormData();
    form.set('a', 'x'.repeat(1_500_000));
    expect(await readForm(...(await encode(form)))).toEqual({ a: 'x'.repeat(1_500_000) });
  });

  const text = (boundary: string) =>
    `preamble\r\n--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--${boundary}--\r\nepilogue`;
  const every = "'()+_,-./:=?09azAZ";
  test.each([
    ['boundary=x', 'x'],
    ['boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW', '----WebKitFormBoundary7MA4YWxkTrZu0gW'],
    ['boundary="x"', 'x'],
    ['BOUNDARY="a b"', 'a b'],
    [`boundary="${every}"`, every],
    ['boundary===7==', '==7=='],
    [`boundary=${'x'.repeat(70)}`, 'x'.repeat(70)],
    ['charset=utf-8; boundary="x"; z=1', 'x'],
    ['boundary="x "', 'x'],
    ['boundary=x ', 'x'],
  ])('has its parts between the boundary of %s', async (parameter, boundary) => {
    expect(await readForm(Buffer.from(text(boundary)), `multipart/form-data; ${parameter}`)).toEqual({
      a: '1',
    });
  });

  test.each([
    'boundary=',
    'boundary=""',
    'boundary=" "',
    `boundary=${'x'.repeat(71)}`,
    'boundary="a;b"',
    'boundary="a*b"',
    'boundary="ä"',
  ])('is refused with the invalid %s', async parameter => {
    await expect(readForm(Buffer.from(text('x')), `multipart/form-data; ${parameter}`)).rejects.toMatchObject(
      {
        response: { status: 400, body: { error: expect.stringMatching(/boundary .+ 1 to 70 characters/) } },
      },
    );
  });

  const whole = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nbytes\r\n--x--\r\n';
  test.each([
    ['without a boundary', whole, 'multipart/form-data'],
    ['that ends within a file', whole.slice(0, -12), 'multipart/form-data; boundary=x'],
    ['with another boundary', whole, 'multipart/form-data; boundary=y'],
    ['without content', '', 'multipart/form-data; boundary=x'],
    ['of random bytes', '\0\x01\x02--x\r\r\r', 'multipart/form-data; boundary=x'],
  ])('%s is refused with 400 or read as empty', async (_, body, type) => {
    const read = readForm(Buffer.from(body, 'latin1'), type);
    const answer = await read.catch((error: unknown) => error);
    if (answer instanceof Error) expect(answer).toMatchObject({ response: { status: 400 } });
    else expect(answer).toEqual({});
  });
});
