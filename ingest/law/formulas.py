"""Recognises the set phrases of acts: citations, recitals, enacting and final formulas.

Complete for English, French and German; for the other official languages those that most acts have.
"""

import re
from typing import Final

_PREAMBLE: Final = re.compile(
    r"having regard|whereas|vu |considérant|gestützt|in (?:der )?Erwägung"
    r"|vist[oaie] |considerando|tendo em conta|gelet op|gezien |overwegende|under henvisning til|ud fra"
    r"|med beaktande av|ottaen? huomioon|ottaa huomioon|uwzględniając|mając na uwadze|s ohledem na|vzhledem k"
    r"|so zreteľom na|keďže|ob upoštevanju|uzimajući u obzir|budući da|având în vedere|întrucât"
    r"|като взе предвид|έχοντας υπόψη|εκτιμώντας|tekintettel|mivel:|ņemot vērā|tā kā"
    r"|atsižvelgdam|kadangi|võttes arvesse|wara li kkunsidra|billi|ag féachaint|de bharr",
    re.IGNORECASE,
)
_UNNUMBERED: Final = re.compile(
    r"(?:whereas|considérant|in der Erwägung|considerando|overwegende)\b"
    r"(?!\s*(?::$|ce qui suit|quanto segue|lo siguiente|o seguinte|hetgeen volgt))",
    re.IGNORECASE,
)
_REASONS: Final = re.compile(r"in Erwägung (?:nachstehender|folgender) Gründe\s*:?$", re.IGNORECASE)
_ENACTING: Final = re.compile(
    r"(?:HAS|HAVE)\s+(?:ADOPTED|DECIDED|AGREED)\b|HEREBY [A-Z]|RECOMMENDS\b"
    r"|(?:A|ONT)\s+(?:ARRÊTÉ|ADOPTÉ|DÉCIDÉ)\b|SONT CONVENU|(?:ARRÊTE|DÉCIDE|RECOMMANDE)(?:NT)?\b"
    r"|(?:HAT|HABEN)\s+(?:FOLGENDE[NRS]?\b|BESCHLOSSEN|DIESE|EMPFOHLEN)|(?:BESCHLIES?[Sẞ]T|EMPFIEHLT)\b"
    r"|(?:HA|HANNO)\s+(?:ADOTTATO|DECISO)|(?:HA|HAN)\s+(?:ADOPTADO|DECIDIDO)|(?:ADOTOU|ADOTARAM|DECIDIU)\b"
    r"|(?:HEEFT|HEBBEN)\s+(?:DE VOLGENDE|HET VOLGENDE|BESLOTEN|DEZE|DIT)|HAR (?:VEDTAGET|ANTAGIT|BESLUTTET)"
    r"|(?:ON|OVAT) (?:ANTANUT|HYVÄKSYN|VASTU)|PRZYJM|PŘIJAL|PRIJAL|SPREJE|DONIJEL|DONIO\b|ADOPTĂ\b|ПРИЕ"
    r"|(?:ΕΞΕΔΩΣ|ΕΞΕΔΩΣΕ|ΕΞΕΔΩΣΑΝ)\b|ELFOGADT|IR PIEŅĒM|PRIĖMĖ\b|ADDOTTA"
)
_FINAL: Final = re.compile(
    r"(?i:(?:This|The present) (?:Regulation|Decision|Directive) (?:shall be|is) binding in its entirety"
    r"|(?:Le présent règlement|La présente (?:décision|directive)) est obligatoire dans tous ses éléments"
    r"|Diese[rs]? (?:Verordnung|Beschlu(?:ss|ß)|Entscheidung) ist in allen (?:ihr|sein)en Teilen verbindlich)"
    r"|(?i:Done (?:at|in)|Fait (?:à|en)|Geschehen (?:zu|in|am)|Fatto (?:a|il)|Hecho en|Feito em|Gedaan te"
    r"|Udfærdiget i|Utfärda[dt] i|Tehty|Sporządzono w|Sastavljeno u|Adoptată? la|Întocmit la|Съставено в"
    r"|Έγινε|Kelt|Priimta|Magħmul[a]? fi)\s+[^\W\d_a-zà-ž]"
)


def begins_preamble(text: str) -> bool:
    """Return True for a citation or the beginning of the recitals."""
    return _PREAMBLE.match(text) is not None


def is_unnumbered_recital(text: str) -> bool:
    """Return True for a recital without a number (``Whereas bees are useful;``), but not for the ``Whereas:``
    before numbered ones."""
    return _UNNUMBERED.match(text) is not None


def begins_reasons(text: str) -> bool:
    """Return True for the German line after which each paragraph is a recital."""
    return _REASONS.match(text) is not None


def is_enacting(text: str) -> bool:
    """Return True for enacting formulas such as ``HAS ADOPTED THIS REGULATION:``."""
    return _ENACTING.match(text) is not None


def is_final(text: str) -> bool:
    """Return True if the final formulas begin here: binding force, place and date."""
    return _FINAL.match(text) is not None
