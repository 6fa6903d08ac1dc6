import type { App } from './app.ts';
import { CeremonyPanel } from './ceremony/panel.ts';
import { h, replace } from './dom.ts';
import { applySettings, LANGUAGES, readSettings, type Settings, THEMES } from './settings.ts';
import { type Text, textIn } from './text/text.ts';
import { createScreen, unfinishedScreen } from './views/create.ts';
import { offerScreen } from './views/link-offer.ts';
import { recoverScreen } from './views/recover.ts';
import type { View } from './views/view.ts';
import { walletScreen } from './views/wallet.ts';
import { welcomeScreen } from './views/welcome.ts';

const LANGUAGE_NAMES = { en: 'English', ja: '日本語' } as const;

/** The whole page around an {@link App}; built anew when the language changes. */
export class Layout {
  readonly #app: App;
  readonly #screen = h('main', { id: 'wallet' });
  readonly #status = h('div', { class: 'status', role: 'status' });
  #settings: Settings = readSettings();
  #panel: CeremonyPanel | undefined;

  constructor(app: App) {
    this.#app = app;
    app.listen((change) => {
      if (change === 'screen') this.#drawScreen();
      if (change === 'step') this.#drawStep();
      if (change === 'recordings') this.#panel?.update();
    });
  }

  get text(): Text {
    return textIn(this.#settings.language);
  }

  draw(): void {
    applySettings(this.#settings);
    const { text } = this;
    this.#panel?.close();
    this.#panel = new CeremonyPanel(this.#app.recordings, text);
    document.title = `${text.title} · ${text.subtitle}`;
    const columns = h('div', { class: 'columns' }, this.#screen, this.#panel.element);
    replace(
      document.body,
      h('a', { class: 'skip', href: '#wallet' }, text.skip),
      this.#header(),
      columns,
      h('footer', {}, h('p', {}, text.footer)),
      this.#status,
    );
    this.#drawScreen();
    this.#drawStep();
  }

  #header(): HTMLElement {
    const { text } = this;
    const { language, theme } = this.#settings;
    const choose = (settings: Partial<Settings>): void => {
      this.#settings = { ...this.#settings, ...settings };
      this.draw();
    };
    const languages = h(
      'select',
      { id: 'language', on: { change: () => choose({ language: LANGUAGES[languages.selectedIndex] ?? language }) } },
      ...LANGUAGES.map((name) => h('option', { lang: name, selected: name === language }, LANGUAGE_NAMES[name])),
    );
    const themes = h(
      'select',
      { id: 'theme', on: { change: () => choose({ theme: THEMES[themes.selectedIndex] ?? theme }) } },
      ...THEMES.map((name) => h('option', { selected: name === theme }, text.theme.names[name])),
    );
    return h(
      'header',
      {},
      h(
        'p',
        { class: 'brand' },
        h('img', { src: '/icon.svg', alt: '', width: 32, height: 32 }),
        h('strong', {}, text.title),
        h('span', {}, text.subtitle),
      ),
      h('label', { class: 'unseen', for: 'language' }, text.language),
      languages,
      h('label', { class: 'unseen', for: 'theme' }, text.theme.label),
      themes,
    );
  }

  #drawScreen(): void {
    const view: View = { app: this.#app, text: this.text };
    const hadFocus = document.activeElement !== document.body;
    const screen = this.#screenOf(view);
    replace(this.#screen, screen);
    if (hadFocus) screen.querySelector('h1')?.focus({ preventScroll: true });
    if (hadFocus) this.#screen.scrollIntoView({ block: 'nearest' });
  }

  #screenOf(view: View): HTMLElement {
    switch (this.#app.screen) {
      case 'opening':
        return h('p', { class: 'screen' }, view.text.common.loading);
      case 'welcome':
        return welcomeScreen(view);
      case 'create':
        return createScreen(view);
      case 'recover':
        return recoverScreen(view);
      case 'offer':
        return offerScreen(view);
      case 'unfinished':
        return unfinishedScreen(view);
      case 'wallet':
        return walletScreen(view);
    }
  }

  #drawStep(): void {
    const { running, step } = this.#app;
    this.#screen.toggleAttribute('data-busy', running !== undefined);
    const { text } = this;
    this.#status.textContent = running === undefined ? '' : ((step && text.steps[step]) ?? text.common.loading);
  }
}
