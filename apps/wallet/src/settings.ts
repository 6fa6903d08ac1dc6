export const LANGUAGES = ['en', 'ja'] as const;
export type Language = (typeof LANGUAGES)[number];

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** What a person has chosen for this page; nothing about the wallet. */
export interface Settings {
  readonly language: Language;
  readonly theme: Theme;
}

const NAME = 'streaming-yao.settings';

const oneOf = <T extends string>(words: readonly T[], word: unknown): T | undefined => words.find((known) => known === word);

export function readSettings(): Settings {
  const preferred: Language = navigator.language.startsWith('ja') ? 'ja' : 'en';
  let stored: Record<string, unknown> = {};
  try {
    stored = JSON.parse(localStorage.getItem(NAME) ?? '{}') as Record<string, unknown>;
  } catch {
    // Blocked or damaged: the defaults serve.
  }
  return { language: oneOf(LANGUAGES, stored.language) ?? preferred, theme: oneOf(THEMES, stored.theme) ?? 'auto' };
}

/** Puts settings in force on this page, and keeps them where the browser allows it. */
export function applySettings(settings: Settings): void {
  document.documentElement.lang = settings.language;
  document.documentElement.dataset.theme = settings.theme;
  try {
    localStorage.setItem(NAME, JSON.stringify(settings));
  } catch {
    // The choice holds until the page is left.
  }
}
