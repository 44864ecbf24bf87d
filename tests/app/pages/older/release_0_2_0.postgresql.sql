CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.announcements (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    id character varying NOT NULL COLLATE pg_catalog."C",
    language character varying(3) NOT NULL COLLATE pg_catalog."C",
    revision bigint,
    republish boolean NOT NULL,
    announced_at timestamp with time zone NOT NULL,
    arrivals integer NOT NULL,
    priority integer NOT NULL,
    attempts integer NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    claimed_by character varying(64),
    claimed_until timestamp with time zone NOT NULL,
    reason character varying NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.answers (
    id character varying(32) NOT NULL,
    conversation character varying(32) NOT NULL,
    number integer NOT NULL,
    question character varying NOT NULL COLLATE pg_catalog."C",
    document character varying COLLATE pg_catalog."C",
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    status character varying(16) DEFAULT 'running'::character varying NOT NULL
);
CREATE TABLE public.bodies (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    id character varying NOT NULL COLLATE pg_catalog."C",
    language character varying(3) NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL
);
CREATE TABLE public.builds (
    slot integer NOT NULL,
    worker character varying(64) NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    generation bigint
);
CREATE TABLE public.conversations (
    id character varying(32) NOT NULL,
    site character varying(64) NOT NULL COLLATE pg_catalog."C",
    used_at timestamp with time zone NOT NULL
);
CREATE TABLE public.deletions (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    id character varying NOT NULL COLLATE pg_catalog."C",
    revision bigint NOT NULL
);
CREATE TABLE public.deliveries (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    id character varying NOT NULL COLLATE pg_catalog."C",
    digest character varying(64) NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.feedback (
    answer character varying(32) NOT NULL,
    rating character varying(8) NOT NULL,
    comment character varying NOT NULL COLLATE pg_catalog."C",
    given_at timestamp with time zone NOT NULL
);
CREATE TABLE public.fetched (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    id character varying NOT NULL COLLATE pg_catalog."C",
    language character varying(3) NOT NULL COLLATE pg_catalog."C",
    url character varying NOT NULL COLLATE pg_catalog."C",
    etag character varying NOT NULL COLLATE pg_catalog."C",
    last_modified character varying NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.installation (
    slot integer NOT NULL,
    id character varying(32) NOT NULL,
    indexed_in character varying NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.jobs (
    id character varying(32) NOT NULL,
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    page character varying NOT NULL COLLATE pg_catalog."C",
    language character varying(3) COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    status character varying(16) NOT NULL,
    reason character varying NOT NULL COLLATE pg_catalog."C",
    delivery character varying NOT NULL COLLATE pg_catalog."C",
    "position" integer NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    fetched_at timestamp with time zone
);
CREATE TABLE public.listed (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    id character varying NOT NULL COLLATE pg_catalog."C",
    language character varying(3) NOT NULL COLLATE pg_catalog."C",
    taken boolean NOT NULL,
    revision bigint,
    updated timestamp with time zone,
    awaited_since timestamp with time zone,
    absences integer NOT NULL,
    vanished boolean NOT NULL
);
CREATE TABLE public.meta (
    name character varying(32) NOT NULL,
    value bigint NOT NULL
);
CREATE TABLE public.pages (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    id character varying NOT NULL COLLATE pg_catalog."C",
    language character varying(3) NOT NULL COLLATE pg_catalog."C",
    document character varying NOT NULL COLLATE pg_catalog."C",
    url character varying NOT NULL COLLATE pg_catalog."C",
    title character varying NOT NULL COLLATE pg_catalog."C",
    kind character varying NOT NULL COLLATE pg_catalog."C",
    updated timestamp with time zone,
    publish_from timestamp with time zone,
    publish_until timestamp with time zone,
    revision bigint,
    content_hash character varying(64) NOT NULL,
    deleted boolean NOT NULL,
    excluded boolean NOT NULL,
    sequence bigint NOT NULL,
    indexed_sequence bigint NOT NULL,
    settled_sequence bigint NOT NULL,
    indexed_at timestamp with time zone,
    priority integer NOT NULL,
    attempts integer NOT NULL,
    next_attempt_at timestamp with time zone NOT NULL,
    claimed_by character varying(64),
    claimed_until timestamp with time zone NOT NULL,
    reason character varying NOT NULL COLLATE pg_catalog."C",
    message character varying NOT NULL COLLATE pg_catalog."C",
    failed_at timestamp with time zone,
    accepted_at timestamp with time zone
);
CREATE TABLE public.pulls (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    worker character varying(64),
    until timestamp with time zone,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    complete_at timestamp with time zone,
    updated_after timestamp with time zone,
    problem character varying NOT NULL COLLATE pg_catalog."C",
    "left" integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.rebuild_pages (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    id character varying NOT NULL COLLATE pg_catalog."C",
    language character varying(3) NOT NULL COLLATE pg_catalog."C",
    sequence bigint NOT NULL,
    settled boolean NOT NULL,
    attempts integer NOT NULL,
    claimed_by character varying(64),
    claimed_until timestamp with time zone NOT NULL,
    reason character varying NOT NULL COLLATE pg_catalog."C",
    message character varying NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rebuilds (
    id character varying(32) NOT NULL,
    source character varying(64) COLLATE pg_catalog."C",
    take_over boolean NOT NULL,
    state character varying(16) NOT NULL,
    cancelled boolean NOT NULL,
    reason character varying NOT NULL COLLATE pg_catalog."C",
    generation bigint,
    pages integer NOT NULL,
    written integer NOT NULL,
    failed integer NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    worker character varying(64),
    until timestamp with time zone NOT NULL
);
CREATE TABLE public.reconciliations (
    id integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    generation bigint,
    pages integer NOT NULL,
    problem character varying NOT NULL COLLATE pg_catalog."C",
    found character varying NOT NULL COLLATE pg_catalog."C"
);
CREATE SEQUENCE public.reconciliations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.reconciliations_id_seq OWNED BY public.reconciliations.id;
CREATE TABLE public.rejected (
    source character varying(64) NOT NULL COLLATE pg_catalog."C",
    document character varying NOT NULL COLLATE pg_catalog."C",
    reason character varying NOT NULL COLLATE pg_catalog."C",
    message character varying NOT NULL COLLATE pg_catalog."C",
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.tallies (
    name character varying(32) NOT NULL,
    first character varying(64) NOT NULL COLLATE pg_catalog."C",
    second character varying(64) NOT NULL COLLATE pg_catalog."C",
    value double precision NOT NULL
);
CREATE TABLE public.vectors (
    recipe character varying(64) NOT NULL COLLATE pg_catalog."C",
    hash character varying(64) NOT NULL COLLATE pg_catalog."C",
    vector bytea NOT NULL,
    last_used timestamp with time zone NOT NULL
);
ALTER TABLE ONLY public.reconciliations ALTER COLUMN id SET DEFAULT nextval('public.reconciliations_id_seq'::regclass);
INSERT INTO public.alembic_version VALUES ('0014');
INSERT INTO public.answers VALUES ('answered', 'c', 0, 'ÜBER?', NULL, '2026-11-21 12:00:00+00', NULL, 'answered');
INSERT INTO public.answers VALUES ('no_answer', 'c', 1, 'ÜBER?', NULL, '2026-11-21 12:00:00+00', NULL, 'no_answer');
INSERT INTO public.answers VALUES ('extractive', 'c', 2, 'ÜBER?', NULL, '2026-11-21 12:00:00+00', NULL, 'extractive');
INSERT INTO public.answers VALUES ('running', 'c', 3, 'ÜBER?', NULL, '2026-11-21 12:00:00+00', NULL, 'running');
INSERT INTO public.bodies VALUES ('town', 'indexed', 'de', '{"fields":{"content":{"media_type":"text/html","text":"Gr\u00fc\u00dfe"},"title":{"media_type":"text/plain","text":"Title of indexed"}},"metadata":{}}');
INSERT INTO public.bodies VALUES ('town', 'failed', 'de', '{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of failed"}},"metadata":{}}');
INSERT INTO public.bodies VALUES ('town', 'waiting', 'de', '{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of waiting"}},"metadata":{}}');
INSERT INTO public.bodies VALUES ('town', 'out', 'de', '{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of out"}},"metadata":{}}');
INSERT INTO public.bodies VALUES ('town', 'window', 'de', '{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of window"}},"metadata":{}}');
INSERT INTO public.bodies VALUES ('town', 'pending', 'en', '{"fields":{"content":{"media_type":"text/html","text":"new"},"title":{"media_type":"text/plain","text":"Title of pending"}},"metadata":{}}');
INSERT INTO public.bodies VALUES ('town', 'claimed', 'de', '{"fields":{"content":{"media_type":"text/html","text":"text"},"title":{"media_type":"text/plain","text":"Title of claimed"}},"metadata":{}}');
INSERT INTO public.builds VALUES (1, 'builder', '2026-11-21 12:00:00+00', '2026-11-21 12:05:00+00', 4);
INSERT INTO public.conversations VALUES ('c', 'town', '2026-11-21 12:00:00+00');
INSERT INTO public.installation VALUES (1, 'b9e7f3d33dec4a07b8f81a06f2735f5f', '');
INSERT INTO public.meta VALUES ('sequence', 10);
INSERT INTO public.meta VALUES ('schema', 3);
INSERT INTO public.pages VALUES ('town', 'indexed', 'de', 'indexed', 'https://town.example/indexed', 'Title of indexed', 'page', NULL, NULL, NULL, 7, '60e2ccc292fcffd2dcfe5676983f80b052d3aa61800e5e9641241e7895c5e204', false, false, 1, 1, 1, '2026-11-21 12:00:00+00', 0, 0, '1970-01-01 00:00:00+00', NULL, '1970-01-01 00:00:00+00', '', '', NULL, NULL);
INSERT INTO public.pages VALUES ('town', 'failed', 'de', 'failed', 'https://town.example/failed', 'Title of failed', 'page', NULL, NULL, NULL, NULL, 'd20ecca20d332548f42483d103cb18587d740f0da3621c8df4726fc2d9351dae', false, false, 2, 0, 2, NULL, 0, 1, '1970-01-01 00:00:00+00', NULL, '1970-01-01 00:00:00+00', 'too_large', 'cut it', NULL, NULL);
INSERT INTO public.pages VALUES ('town', 'waiting', 'de', 'waiting', 'https://town.example/waiting', 'Title of waiting', 'page', NULL, NULL, NULL, NULL, 'c5640ac1d0cb63ff1bcbcb1c4ac37b00dc61b4acdcc20c32ef85ddd57a788649', false, false, 3, 0, 0, NULL, 0, 0, '2026-11-21 12:01:00+00', NULL, '1970-01-01 00:00:00+00', 'embedder_unavailable', '', NULL, NULL);
INSERT INTO public.pages VALUES ('town', 'gone', 'de', 'gone', 'https://town.example/gone', '', 'page', NULL, NULL, NULL, 3, '', true, false, 8, 8, 8, '2026-11-21 12:00:00+00', 0, 0, '1970-01-01 00:00:00+00', NULL, '1970-01-01 00:00:00+00', '', '', NULL, NULL);
INSERT INTO public.pages VALUES ('town', 'out', 'de', 'out', 'https://town.example/out', 'Title of out', 'page', NULL, NULL, NULL, NULL, '5691459e50a4cd1e26e4bb74c9ed77d41c63a3b8989bb6a083cc9190eea7f727', false, true, 7, 7, 7, '2026-11-21 12:00:00+00', 0, 0, '1970-01-01 00:00:00+00', NULL, '1970-01-01 00:00:00+00', '', '', NULL, NULL);
INSERT INTO public.pages VALUES ('town', 'window', 'de', 'window', 'https://town.example/window', 'Title of window', 'page', NULL, '2026-11-22 12:00:00+00', NULL, NULL, '15a3547a5d70b2e1a7bbdb98285b3bf6a9a463cb447906a99f9ecd45f279f34e', false, false, 6, 6, 6, '2026-11-21 12:00:00+00', 0, 0, '1970-01-01 00:00:00+00', NULL, '1970-01-01 00:00:00+00', '', '', NULL, NULL);
INSERT INTO public.pages VALUES ('town', 'pending', 'en', 'pending', 'https://town.example/pending', 'Title of pending', 'page', NULL, NULL, NULL, NULL, '68b5eba9cea0784c828884928b700a4d82f8611a611f435d74f991371d64645b', false, false, 9, 0, 0, NULL, 5, 0, '1970-01-01 00:00:00+00', NULL, '1970-01-01 00:00:00+00', '', '', NULL, NULL);
INSERT INTO public.pages VALUES ('town', 'claimed', 'de', 'claimed', 'https://town.example/claimed', 'Title of claimed', 'page', NULL, NULL, NULL, NULL, '6a206ae66053220a63a9503b9f7217419c7a3edf1bd8a015fecf81f91ff3de76', false, false, 10, 0, 0, NULL, 0, 1, '1970-01-01 00:00:00+00', 'dead', '2026-11-21 12:05:00+00', '', '', NULL, NULL);
INSERT INTO public.rejected VALUES ('town', 'bad.html', 'not_text', 'no text', '2026-11-21 12:00:00+00');
INSERT INTO public.vectors VALUES ('recipe', 'hash', '\x0000803f000020c0', '2026-11-21 12:00:00+00');
SELECT pg_catalog.setval('public.reconciliations_id_seq', 1, false);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.announcements
    ADD CONSTRAINT announcements_pkey PRIMARY KEY (source, id, language);
ALTER TABLE ONLY public.answers
    ADD CONSTRAINT answers_conversation_number_key UNIQUE (conversation, number);
ALTER TABLE ONLY public.answers
    ADD CONSTRAINT answers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.bodies
    ADD CONSTRAINT bodies_pkey PRIMARY KEY (source, id, language);
ALTER TABLE ONLY public.builds
    ADD CONSTRAINT builds_pkey PRIMARY KEY (slot);
ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.deletions
    ADD CONSTRAINT deletions_pkey PRIMARY KEY (source, id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (source, id);
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT feedback_pkey PRIMARY KEY (answer);
ALTER TABLE ONLY public.fetched
    ADD CONSTRAINT fetched_pkey PRIMARY KEY (source, id, language);
ALTER TABLE ONLY public.installation
    ADD CONSTRAINT installation_pkey PRIMARY KEY (slot);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.listed
    ADD CONSTRAINT listed_pkey PRIMARY KEY (source, id, language);
ALTER TABLE ONLY public.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (source, id, language);
ALTER TABLE ONLY public.pulls
    ADD CONSTRAINT pulls_pkey PRIMARY KEY (source);
ALTER TABLE ONLY public.rebuild_pages
    ADD CONSTRAINT rebuild_pages_pkey PRIMARY KEY (source, id, language);
ALTER TABLE ONLY public.rebuilds
    ADD CONSTRAINT rebuilds_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.reconciliations
    ADD CONSTRAINT reconciliations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rejected
    ADD CONSTRAINT rejected_pkey PRIMARY KEY (source, document);
ALTER TABLE ONLY public.tallies
    ADD CONSTRAINT tallies_pkey PRIMARY KEY (name, first, second);
ALTER TABLE ONLY public.vectors
    ADD CONSTRAINT vectors_pkey PRIMARY KEY (recipe, hash);
CREATE INDEX answers_by_start ON public.answers USING btree (started_at);
CREATE INDEX conversations_by_use ON public.conversations USING btree (site, used_at);
CREATE INDEX deliveries_at ON public.deliveries USING btree (at);
CREATE INDEX jobs_accepted_at ON public.jobs USING btree (accepted_at);
CREATE INDEX jobs_announced ON public.jobs USING btree (source, page) WHERE ((status)::text = 'announced'::text);
CREATE INDEX jobs_delivery ON public.jobs USING btree (source, delivery);
CREATE INDEX jobs_sequence ON public.jobs USING btree (sequence);
CREATE INDEX pages_acts ON public.pages USING btree (source, id) WHERE ((kind)::text = 'act'::text);
CREATE INDEX pages_document ON public.pages USING btree (source, document);
CREATE INDEX pages_queue ON public.pages USING btree (priority DESC, attempts, sequence) WHERE (settled_sequence < sequence);
CREATE INDEX pages_worker ON public.pages USING btree (claimed_by);
CREATE INDEX rebuild_pages_due ON public.rebuild_pages USING btree (attempts, source, id) WHERE (NOT settled);
CREATE INDEX rebuild_pages_worker ON public.rebuild_pages USING btree (claimed_by);
CREATE INDEX vectors_last_used ON public.vectors USING btree (last_used);
ALTER TABLE ONLY public.bodies
    ADD CONSTRAINT bodies_source_id_language_fkey FOREIGN KEY (source, id, language) REFERENCES public.pages(source, id, language);
