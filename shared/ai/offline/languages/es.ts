import type { LanguageTable } from '../table.ts';

export const es: LanguageTable = {
  stopwords:
    'a al algo ante antes aquí así aún bajo bien cada como con contra cual cuando de del desde donde dos el ella ellos en entre era es esa ese eso esta estaba este esto estos fue ha hace hasta hay la las le les lo los más me mi mientras muy nada ni no nos nosotros nuestra nuestro nueva nuevo o otra otro para pero poco por porque que quien se ser si sin sobre son su sus también tan te tiene todo todos tu un una uno unos y ya yo',
  endings: 'amor vida tips diario lovers ideas momentos mundo historia pasion inspo comunidad',
  hashtags:
    'inspiración motivación estilodevida tendencia explorar comunidad creatividad hoy compartir descubrir ideas metas novedades aprender crecer felicidad momentos consejos emprender diario',
  middles: [
    'Detrás de {topic} hay más de lo que parece.',
    'Los pequeños detalles marcan la diferencia.',
    'Echa un vistazo y elige lo que más te guste.',
    'Vale la pena dedicarle un momento.',
  ],
  tones: {
    casual: {
      openings: ['Hablemos de {topic}.', 'Hoy toca {topic}.'],
      closings: ['¿Qué opinas?', 'Cuéntanos en los comentarios.'],
    },
    professional: {
      openings: ['{topic}: lo que importa ahora.', 'Una mirada más cercana a {topic}.'],
      closings: ['Nos interesa tu opinión.', 'Contáctanos para saber más.'],
    },
    funny: {
      openings: ['{topic}: porque la vida ya es bastante seria.', 'Nadie lo pidió, pero aquí está: {topic}.'],
      closings: ['Etiqueta a quien lo necesita.', 'Ya nos vamos solos.'],
    },
    inspirational: {
      openings: ['Todo lo grande empieza pequeño: {topic}.', 'Que tu próximo paso sea {topic}.'],
      closings: ['Empieza hoy.', 'Tú puedes.'],
    },
    genz: {
      openings: ['POV: {topic} y puro flow.', 'Sin exagerar, {topic} es otro nivel.'],
      closings: ['Déjalo en los comentarios.', 'Mándaselo a tu bestie.'],
    },
    formal: {
      openings: ['Nos complace presentar {topic}.', 'Permítanos presentarle {topic}.'],
      closings: ['Le agradecemos su interés.', 'Quedamos a su disposición para cualquier consulta.'],
    },
    friendly: {
      openings: ['¡Hola, amigos! Hoy va de {topic}.', 'Tenemos algo bonito para ti: {topic}.'],
      closings: ['¡Nos encantará leerte!', '¡Hasta pronto!'],
    },
    poetic: {
      openings: ['Suave como la luz del alba: {topic}.', 'Entre dos latidos, {topic}.'],
      closings: ['Quédate un momento y escucha.', 'Y el día empieza a brillar.'],
    },
  },
};
