import type { LanguageTable } from '../table.ts';

export const es: LanguageTable = {
  stopwords:
    'a al algo ante antes aquí así aún bajo bien cada como con contra cual cuando de del desde donde dos el ella ellos en entre era es esa ese eso esta estaba este esto estos fue ha hace hasta hay la las le les lo los más me mi mientras muy nada ni no nos nosotros nuestra nuestro nueva nuevo o otra otro para pero poco por porque que quien se ser si sin sobre son su sus también tan te tiene todo todos tu un una uno unos y ya yo sabes viene dónde cómo qué cuándo quién cuál sí abre abren abrimos cierra cerramos empieza vemos reserva hemos gusta buscamos primera primer visita visítanos ven venid',
  endings: 'amor vida tips diario lovers ideas momentos mundo historia pasion inspo comunidad',
  hashtags:
    'inspiración motivación estilodevida tendencia explorar comunidad creatividad hoy compartir descubrir ideas metas novedades aprender crecer felicidad momentos consejos emprender diario',
  answers: {
    informal: ['¡Cuéntanos en los comentarios!', 'Queremos leer tu respuesta.'],
    formal: ['Esperamos con interés su respuesta.', 'Comparta con nosotros su opinión.'],
  },
  links: { informal: 'Échale un vistazo:', formal: 'Más información aquí:' },
  tones: {
    casual: {
      lines: ['Queríamos compartirlo contigo.', 'Para que no se te escape.', 'Nos apetecía contártelo.'],
      closings: ['¿Qué opinas?', 'Cuéntanos qué te parece.', '¿Cómo lo ves tú?'],
    },
    professional: {
      lines: [
        'Lo último de nuestro equipo.',
        'Nos alegra compartirlo con usted.',
        'Una breve novedad de nuestro equipo.',
      ],
      closings: [
        'Nos interesa su opinión.',
        'Póngase en contacto con nosotros para saber más.',
        'Escríbanos si tiene alguna pregunta.',
      ],
    },
    funny: {
      lines: [
        'No, no nos lo estamos inventando.',
        'Sí, esto merecía su propia publicación.',
        'Intentamos guardar el secreto. No funcionó.',
      ],
      closings: [
        'Etiqueta a alguien que necesite ver esto.',
        'Reírse está permitido.',
        'Prometemos parar aquí.',
      ],
    },
    inspirational: {
      lines: [
        'Todo lo grande empieza por algo pequeño.',
        'Cada día es una oportunidad para empezar algo nuevo.',
        'Los pasos pequeños llevan lejos.',
      ],
      closings: ['Da hoy el primer paso.', 'Tú puedes.', '¿Cuál es tu próximo paso?'],
    },
    genz: {
      lines: ['Dejamos esto por aquí.', 'Tenía que aparecer en tu feed.', 'Si sabes, sabes.'],
      closings: ['Te leemos en los comentarios.', 'Mándaselo a tu bestie.', '¿Opiniones?'],
    },
    formal: {
      lines: [
        'Nos complace compartirlo con usted.',
        'Deseamos ponerlo en su conocimiento.',
        'Nos complace hacérselo saber.',
      ],
      closings: [
        'Le agradecemos su interés.',
        'Quedamos a su disposición para cualquier consulta.',
        'No dude en ponerse en contacto con nosotros.',
      ],
    },
    friendly: {
      lines: ['Queríamos que lo supieras por nosotros.', 'Esto es para ti.', 'Hemos pensado en ti.'],
      closings: ['¡Nos encantará leerte!', '¡Hasta pronto!', '¡Cuéntanos qué te parece!'],
    },
    poetic: {
      lines: [
        'Hay momentos que invitan a ir más despacio.',
        'Con la suavidad de la luz del alba.',
        'Lo bello suele hablar en voz baja.',
      ],
      closings: [
        'Quédate un momento y escucha.',
        'Respira hondo y vuelve a mirar.',
        'Deja que dure un poco más.',
      ],
    },
  },
};
