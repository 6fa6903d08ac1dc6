import { describe, expect, test } from 'vitest';
import { readSettings, SETTINGS, type Settings, STANDARD_SETTINGS } from '../src/index.ts';

const names = Object.keys(SETTINGS) as (keyof Settings)[];

test('nothing changed is the standard, which lies within the bounds', () => {
  expect(readSettings({})).toEqual(STANDARD_SETTINGS);
  expect(readSettings(STANDARD_SETTINGS)).toEqual(STANDARD_SETTINGS);
});

test('every setting has its unit in its name', () => {
  for (const name of names) expect(name).toMatch(/(Ms|Tickets|Presigns|Answers|Uses|PerMinute)$/);
});

describe.each(names)('%s', (name) => {
  const { least, most } = SETTINGS[name];

  test.each([least, most])('may be %d, and nothing else changes with it', (value) => {
    expect(readSettings({ [name]: value })).toEqual({ ...STANDARD_SETTINGS, [name]: value });
  });

  test.each([least - 1, most + 1, least + 0.5, String(least), null, Number.NaN])('may not be %j', (value) => {
    expect(() => readSettings({ [name]: value })).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });
});

test.each(['null', '[]', '"text"', '{"unknown":1}', '{"toString":1}'])('%s are no settings', (changes) => {
  expect(() => readSettings(JSON.parse(changes))).toThrow(expect.objectContaining({ code: 'config_invalid' }));
});
