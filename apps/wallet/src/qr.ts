import encodeQR from 'qr';
import { svg } from './dom.ts';

const QUIET_MODULES = 4;

/** The modules of a QR code (ISO/IEC 18004), row by row with the quiet zone; `true` is dark. */
export const qrRows = (text: string): boolean[][] => encodeQR(text, 'raw', { ecc: 'low', border: QUIET_MODULES });

/** A QR code of `text`, dark on light in either theme: scanners expect that. */
export function qrCode(text: string, label: string): SVGSVGElement {
  const rows = qrRows(text);
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  const size = rows.length;
  return svg(
    'svg',
    { viewBox: `0 0 ${size} ${size}`, class: 'qr', role: 'img', 'aria-label': label, 'shape-rendering': 'crispEdges' },
    svg('rect', { width: size, height: size, fill: '#fff' }),
    svg('path', { d: path, fill: '#000' }),
  );
}
