"""Words and phrases that mark follow-ups and the subjects of questions, in German and English."""

import re
from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


CHANGE: Final = re.compile(
    r"\b(?:(?:ganz )?(?:et)?was (?:ganz )?anderes|(?:andere|neue|n[aä]chste)s? (?:frage|thema)|themenwechsel"
    r"|something (?:completely |totally )?(?:else|different)"
    r"|(?:different|another|new|other|next) (?:topic|subject|question|one|thing|matter))"
    r"\s*[:,.;!–-]+\s*(?=\w)",
    re.IGNORECASE,
)
_REPLIES: Final = ("thx", "nein", "nee", "ja", "yes", "entschuldigung", "sorry")
"""Words that agree to what was said, or correct it."""

OPENING: Final = re.compile(
    r"^[\s,.!–-]*(?:(?:ok(?:ay)?|gut|danke|vielen dank|thanks|thank you|alles klar|right|so|ach so|achso"
    rf"|aha?|hm+|{'|'.join(_REPLIES)}|k(?= thx)|no(?=,| sorry| i meant))\b[\s,.!–-]*){{0,3}}"
    r"(?:(?P<joins>und|oder|aber|and|or|but)\b[\s,]*)?"
    r"(?P<about>(?:was ist|wie (?:ist|sieht|steht|siehts|stehts)(?: es| das)?(?: denn)?) mit"
    r"|(?:what|how) about)?\b\s*",
    re.IGNORECASE,
)
CONDITION: Final = re.compile(r"^(?:what if|wenn|falls|if|when it|was wenn|was,? falls)\b", re.IGNORECASE)
PREPOSITION: Final = (
    r"(?:am|an|im|in|ins|f[uü]r|mit|ohne|auf|bei|beim|nach|ab|bis|von|vom|zu|zum|zur|[uü]ber|unter|als|vor"
    r"|w[aä]hrend|for|on|at|with|without|from|after|before|as|during|under|per|pro|je)"
)
ELLIPSIS: Final = re.compile(
    r"^(?:how (?:much|many|long|often)|wie (?:viele?|lange|teuer|oft|hoch)|wieviel|wann|when|where|wo"
    r"|was(?! f[uü]r (?:ein|'n)))"
    rf" {PREPOSITION}\b",
    re.IGNORECASE,
)
FINITE: Final = _set(
    """
    ist sind war waren kann können darf dürfen muss müssen soll sollen wird werden hat haben gibt gibts geht
    gehts kostet kosten braucht brauche brauch brauchen dauert gilt gelten kommt is are was were can could
    may must should will would does do did has have need cost costs take takes
    """
)
QUESTION_WORDS: Final = _set(
    """
    wer wen wem wessen was wann wo wohin woher womit wofür wie wieso weshalb warum welche welcher welches
    welchen welchem wieviel who whom whose what when where which why how
    """
)
PLACES: Final = _set(
    """
    da dort dorthin dahin dafür dazu damit davon dabei darauf drauf darin drin daran daraus dagegen this
    these those dieser diese dieses diesen diesem
    """
)
PRONOUNS: Final = _set(
    """
    es er sie ihn ihm it they them its their he she him her
    """
)
SHORT_ES: Final = re.compile(r"t['’]s$")
"""The ending of a German verb with "es": "dauert's"."""

ARTICLES: Final = _set(
    """
    das die der den dem des
    """
)
OF_VERBS: Final = _set(
    """
    ich du er sie es man wir ihr die der das den dem da dort sich mein meine meinen ein eine einen auch
    """
)
"""After the first word of a question, these show that it is a verb, not a noun."""

VERB: Final = re.compile(
    r"\b(?:i|you|we|they|he|she|it|who|nobody|somebody|someone|everybody|everyone)"
    r"(?: (?:still|also|ever|never|just|only|then|now|not|already|always))? $",
    re.IGNORECASE,
)
"""The words before an English verb."""

EXPLETIVE: Final = re.compile(
    r"\b(?:gibt|gab|geht|g[aä]be) es\b|\bda (?:sein|ist|sind)\b|\b(?:is|are|was|were|be|will) there\b"
    r"|\bthere(?:'s|’s| is| are| was| were)\b"
    r"|\bit (?:possible|allowed|true|necessary|ok|okay|worth)\b|\bes (?:m[oö]glich|erlaubt|in ordnung|ok)\b",
    re.IGNORECASE,
)
THAT: Final = re.compile(
    r"\b(?:for|of|to|with|about|is|was|does|do|if|than|like|after|before|on) that\b"
    r"|\bthat\s*(?:$|[?.!,])|\bthat (?:cost|take|work|include|mean|happen)\b"
    r"|\bthat (?:by|in|on|at|for|if|when|without|with|now|again|too|online|myself)\b"
    r"|^(?:does|is|can|will|would|do) that\b",
    re.IGNORECASE,
)
ONE: Final = re.compile(
    r"\b(?:get|have|need|buy|book|order|want|use|for|on|in|with|of|apply for) ones?\b", re.IGNORECASE
)
OTHER_ONE: Final = re.compile(r"\b(?:the \w+|which|this|that|these|those) ones?\b", re.IGNORECASE)
ANTECEDENT: Final = re.compile(r"\b(?:an?|my|the|your|our) \w", re.IGNORECASE)
LIGHT: Final = frozenset(_REPLIES) | _set(
    """
    brauch brauche brauchen braucht bringen mitbringen nehmen mitnehmen nimmt zahl zahle zahlen zahlt
    bezahlen kost kosten kostet dauern dauert gibts gehts lässt läuft passen passt passiert kriege kriegen
    kriegt holen heißt heissen finden findet funktioniert sagen lange länger teuer schnell früh früher spät
    später extra genau eigentlich überhaupt ganz erst gar einfach direkt gleich sofort maximal höchstens
    mindestens wirklich danke ok okay leute personen person mal cost costs take takes pay paid long longer
    often early late later soon quickly bring happen happens work works anything nothing exactly actually
    really maximum minimum least people persons still right thank till apply start end find say mean count
    counts look looking come came way no k meinte meine meint
    meant stuff things sachen rein raus hinein heraus lang already bereits top zweit dritt viert nächste
    nächsten nächster nächstes next letzte letzten last
    """
)
"""Words that name no subject: verbs and adverbs of any question, and words that agree or correct."""

_COMPARED: Final = _set(
    """
    billiger günstiger teurer schneller länger kürzer mehr weniger größer kleiner besser cheaper faster
    quicker longer shorter more less bigger smaller better
    """
)
"""These compare with what was said, if the question names only one thing."""

CORRECTION: Final = re.compile(
    r"\b(?:meinte|meine) ich\b|\bich (?:meinte|meine)\b|\bi meant\b", re.IGNORECASE
)

INSTEAD: Final = re.compile(
    r"^(?:(?:nein|nee|no|sorry)\b[\s,.!–-]*)?(?:nicht|net|not)\s+[^,.;:!?–]{1,40}?"
    r"\s*(?:[,.;!–-]+\s*(?:sondern\b|but\b)?|\bsondern\b|\bbut\b)\s*(?P<after>[^\W_].*)"
    r"|^(?P<before>[^,.;:!?–]{1,40}),\s*(?:(?:und|and)\s+)?(?:nicht|net|not)\s+[^,.;:!?–]{1,40}[.!?]*$",
    re.IGNORECASE,
)
"""A correction: "not the pool, the library", "the library, not the pool"."""

_ASPECTS: Final = _set(
    """
    ausnahme ausnahmen ermäßigung ermäßigungen rabatt rabatte unterlagen dokumente papiere nachweis nachweise
    voraussetzung voraussetzungen bedingung bedingungen kosten gebühr gebühren preis preise frist fristen
    dauer formular formulare öffnungszeiten adresse telefonnummer nummer kontakt ansprechpartner
    exception exceptions exemption exemptions discount discounts reduction reductions concession concessions
    document documents papers proof requirement requirements condition conditions fee fees price prices
    deadline deadlines form forms hours address phone number contact rules
    """
)
"""Aspects of a subject: nobody asks for "exceptions" alone."""

NO_SUBJECTS: Final = LIGHT | _COMPARED | _ASPECTS

TIMES: Final = re.compile(
    r"(?:mon|diens|donners|frei|sams|sonn|feier|werk|wochen)tage?s?n?|mittwochs?|wochenenden?"
    r"|heute|morgen|übermorgen|abends?|morgens|mittags?|vormittags?|nachmittags?|nachts?|sommers?|winters?"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun|week|holi)days?|weekends?|today|tomorrow|tonight|evenings?|mornings?"
    r"|afternoons?|summers?|winters?|uhr|days?|weeks?|months?|years?|hours?|minutes?|tage?n?|wochen?|monate?n?"
    r"|jahre?n?|stunden?|minuten?"
    r"|januar|jänner|februar|märz|april|mai|juni|juli|august|(?:septem|novem)ber|o[ck]tober|de[zc]ember"
    r"|january|february|march|may|june|july"
    r"|eins?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|two|three|four|five|six|seven|eight|nine|ten|\d+"
)
