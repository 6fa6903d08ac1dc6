import type { DeviceWallet } from '../device/device-wallet.ts';
import { h, replace } from '../dom.ts';
import { moment } from '../text/number.ts';
import { confirmed } from './dialog.ts';
import { attempt, button, outcomePlace, part, success, type View } from './view.ts';

type Lanes = Awaited<ReturnType<DeviceWallet['lanes']>>;

/** The shares of the key, one for each device. */
export function devicesPart(view: View): HTMLElement {
  const { app, text } = view;
  const list = h('ul', { class: 'rows' });
  const outcome = outcomePlace();
  const show = (): void =>
    void attempt(view, outcome, {
      action: 'devices',
      work: async () => ({ ...(await app.wallet.lanes()), own: (await app.wallet.status()).lane }),
      done: ({ lanes, own }) => replace(list, ...lanes.map((lane) => row(lane, lane.lane === own))),
    });
  const row = ({ lane, epoch, activatedAtMs, name }: Lanes['lanes'][number], isOwn: boolean) =>
    h(
      'li',
      { 'data-lane': lane },
      h(
        'span',
        {},
        h('strong', {}, text.devices.lane(lane)),
        name === null ? ' ' : ` “${name}” `,
        `${text.devices.since(moment(activatedAtMs, text), epoch)}`,
      ),
      isOwn
        ? h('span', { class: 'badge' }, text.common.thisDevice)
        : app.wallet.access !== 'linked' &&
            button(text.devices.remove, 'danger', () => void remove(lane), { 'aria-label': text.devices.removeNamed(lane) }),
    );
  const remove = async (lane: number): Promise<void> => {
    if (!(await confirmed(text, text.devices.heading, text.devices.confirm(lane), text.devices.remove))) return;
    await attempt(view, outcome, {
      action: 'devices',
      work: () => app.wallet.removeLane(lane),
      done: () => {
        list.querySelector(`[data-lane="${lane}"]`)?.remove();
        replace(outcome, success(text.devices.removed(lane)));
      },
    });
  };
  return part(
    text.devices.heading,
    'devices',
    h('p', {}, text.devices.lead),
    h('div', { class: 'actions' }, button(text.devices.show, 'quiet', show)),
    list,
    outcome,
  );
}
