"""Patterns that recognise text about opening hours, or about something else."""

import re
from typing import Final

HEADING: Final = re.compile(r"^#{1,6} (.*)", re.MULTILINE)
TITLE: Final = re.compile(
    r"\b(?:öffnungs|sprech|besuchs|service|geschäfts|kassen|bade|annahme|schalter|büro|ausleih|markt|betriebs|laden"
    r"|telefon|abgabe|gäste)zeiten\b|sprechstunden?\b|\bparteiverkehr\b|\bgeöffnet\b"
    r"|\bwhen we(?:['’]re| are) open"
    r"|\b(?:opening|visiting|visitors?|office|business|service|surgery|bar|shop|reception|library|desk|gallery"
    r"|museum|pool|box office|helpline|telephone|phone|lines?) (?:hours|times)\b|^hours$|\bhours of opening",
    re.IGNORECASE,
)
TITLE_END: Final = re.compile(r"(?:öffnungs|sprech|besuchs|service)zeiten\b", re.IGNORECASE)
"""A title with another word before it, such as "Winteröffnungszeiten"."""

ARTICLE: Final = re.compile(r"^(?:der|des|von|vom|im|am|of|in|at)\s+(?:the\s+)?", re.IGNORECASE)
NO_THING: Final = re.compile(
    r"^\W*(?:(?:allgemeine|unsere|ihre|reguläre|our|general|regular)\b\s*)?(?:(?:(?:und|sowie|and)\b|[&/]).*)?",
    re.IGNORECASE,
)
"""Matches the rest of a heading if it does not name the thing that the hours belong to."""

OTHER_TIMES: Final = re.compile(
    r"kurs|training|proben?\b|gottesdienst|messen?\b|halteverbot|abfuhr|leerung|sammlung|ruhe|termine\b|treff"
    r"|programm|veranstaltung|führung|liefer|unterricht|fahrplan|abfahrt|bringzeit|abholzeit|arbeitszeit|sperr"
    r"|schließ|pause|baustelle|stoß|lärm|ferien|weihnacht|ostern|gültig|gerade|\bab \d|\bclass(?:es)?\b"
    r"|course|lesson|rehears|service times|quiet|parking|collection|events?\b|tours?\b|what.s on|timetable"
    r"|working|worship|departures|clos(?:ing|ure|ed)|peak|core|rush|lunch|break|holiday|christmas|easter"
    r"|\bfrom \d",
    re.IGNORECASE,
)
"""In headings and names of times that are not opening hours, or not those of every week."""

SINCE: Final = re.compile(r"\b(?:ab|bis|until|from|since|neue|new|alte|old)\b", re.IGNORECASE)
SEASON: Final = re.compile(
    r"sommer|winter|saison|season|summer|semester|vorlesung|\bterm\b|\balte|\bneue|künftig|advent"
    r"|zwischen den|wahltag|festive|previous|proposed|\bnew\b|\bold\b|during|ramadan|\bbis\b|\buntil\b"
    r"|\bab\b|\bover\b|\d{4}",
    re.IGNORECASE,
)
OPEN: Final = re.compile(
    r"\b(?:geöffnet|offen|öffnet|erreichbar|erreichen|besetzt|open|opens|staffed|available|reach(?:ed|able)?)\b"
    r"|sprechzeit|sprechstunde|öffnungszeit|opening (?:hours|times)",
    re.IGNORECASE,
)
PHONE: Final = re.compile(
    r"telefon|\btel\b|hotline|rufnummer|switchboard|telephone|helpline|\blines\b|phone|\bcall\b",
    re.IGNORECASE,
)
RESTRICTED: Final = re.compile(
    r"\b(?:nicht|kein\w*|außerhalb|ferien\w*|gewöhnlich|meist\w*|in der regel|dürfen|darf|muss|müssen|einlass"
    r"|kassenschluss|wahl\w*|wenn|falls|halteverbot|ruhezeit\w*|vereinbarung|beginn\w*|termine?|anfang|mitte"
    r"|ende|soll\w*|künftig\w*|wird|werden|beantragt|ausstellung|weihnachtsmarkt|früher|ehemals"
    r"|damals|bis 20\d\d|sommer|winter|saison|mitglieder\w*|reserviert|schulen|wochen?"
    r"|alle|mid|early|late|unless|not|no|usually|admission|must|if|(?-i:may)|school holidays?|course"
    r"|every other|alternate|fortnight\w*|formerly|until 20\d\d|summer|will|planned|exhibition|polling"
    r"|members|reserved|weeks?)\b",
    re.IGNORECASE,
)
ASIDE: Final = re.compile(
    r"\([^()]{0,99}\b(?:kasse|einlass|eintritt|küche|admission|entry|kitchen|last)\b[^()]{0,99}\)",
    re.IGNORECASE,
)
BY_APPOINTMENT: Final = re.compile(
    r",?\s*\b(?:und|sowie|sonst|ansonsten|oder|weitere termine|and|or|otherwise)(?: auch)?"
    r" (?:nach (?:\w+ )?(?:vereinbarung|absprache)|by appointment)(?=[\s.!]*$)",
    re.IGNORECASE,
)
"""Further times by appointment, at the end of hours."""

APPOINTMENT: Final = re.compile(r"termin|vereinbarung|absprache|anmeldung|appointment", re.IGNORECASE)
"""Matches if somebody is available to those who have an appointment."""

LAST_ENTRY: Final = re.compile(
    r"\b(?:annahme|kassen|einlass|küchen)schluss\b|\bletzte\w* (?:einlass|annahme|anlieferung)\b"
    r"|\b(?:ausgabe|vergabe) (?:von|der) \w*nummern\b"
    r"|\blast (?:entry|admission|orders)\b",
    re.IGNORECASE,
)
"""Matches the time until which people are admitted; it stays open longer."""

BESIDES: Final = re.compile(
    r"^\D*\b(?:zusätzlich|außerdem|darüber hinaus|auch|also|additional\w*|in addition|as well)\b",
    re.IGNORECASE,
)
"""Hours that are in addition to others."""

_SHORT_DAY: Final = r"\b(Mo|Di|Mi|Do|Fr|Sa|So|Mon|Tue|Tues|Wed|Thu|Thurs|Fri|Sat|Sun)\."
SHORT_DAY: Final = re.compile(rf"{_SHORT_DAY}(?=\s*[\d,/+&–—-]|\su|\s*{_SHORT_DAY})")
"""A short weekday whose full stop does not end a sentence."""

ONLY: Final = re.compile(
    r"(?:un)?gerade\w* (?:kalender)?woche|alle (?:14|zwei)|nur (?:nach|mit|in|an)|nicht|außerhalb"
    r"|\b(?:nach|mit|bei|auf|ohne) (?:\w+ ){0,2}\w*(?:vereinbarung|anmeldung)|terminvereinbarung|appointment"
    r"|fortnight|alternate|every other|term time|sommer|winter|summer"
    r"|ferien|semester|bei (?:schlecht|gut)",
    re.IGNORECASE,
)
OPEN_OR_CLOSED: Final = re.compile(
    r"öffn|offen|geschlossen|schlie(?:ß|ss)|publikumsverkehr|sprech(?:zeit|stunde)|\bopen|\bclos",
    re.IGNORECASE,
)
LIMITED: Final = re.compile(
    r"niemand|nobody|no one|besetzt|\bstaffed|attended|erreichbar|\bfür (?:sie|euch|dich) da\b|dienstfrei"
    r"|\b(?:haben|hat|ist|sind|bleibt|machen|macht) .*\b(?:zu|frei)\b(?=\W*$)|\b(?:fällt|fallen)\b.*\baus\b"
    r"|entfallen|entfällt|\bshut\b"
    r"|\bnur (?:nach|mit|auf|für) .*(?:termin|vereinbarung|absprache|anmeldung|anfrage)"
    r"|\b(?:nur|erst|only)\b.*(?:\d\s?(?:uhr|[ap]\.?m\b)|mittags?\b|\bnoon\b|morning|afternoon)"
    r"|\b(?:by|without) (?:prior )?appointment\b|\bappointments? only\b|\bon request\b",
    re.IGNORECASE,
)
"""Says in other words when somebody is there."""

ATTENDED: Final = re.compile(
    r"\b(?:für|zu) (?:sie|euch|dich) da\b|\b(?:sind|bin|ist) \w+ da\b|\bheute\b|\bmorgen\b|diese woche"
    r"|zurzeit|derzeit|momentan|vorübergehend|urlaub|ferien|feiertag|ruhetag|erreichbar|besetzt|vereinbarung|termin"
    r"|umbau|umzug|dauerhaft|\b(?:haben|hat|ist|sind|bleibt) .*\b(?:zu|frei)\b|rund um die uhr"
    r"|\btoday\b|\btomorrow\b|this week|currently|temporar|holiday|appointment|staffed|attended|available"
    r"|\bhere for you\b|\bat your service\b|\bhours\b|renovation|\bmoved\b|\bwe are (?:here|in)\b",
    re.IGNORECASE,
)
"""Words that may say when somebody is there."""

NO_NAME: Final = re.compile(
    r"(?:(?:öffnungs|sprech|uhr)?zeit(?:en)?|von.*bis|geöffnet|offen|time|times|hours|open|opening)?",
    re.IGNORECASE,
)
"""The name of hours that distinguishes them from no others."""

OPENS: Final = re.compile(r"^(?:opens?|von|ab|öffnet|from|opening)\b", re.IGNORECASE)
ITEM: Final = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")
DELIMITERS: Final = re.compile(r"^[\s|:-]+$")
