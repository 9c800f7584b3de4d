-- What guests answer is a note, too: answer says which answer the note was given with. Without
-- a row of verdicts that names the note, it is an earlier answer.
ALTER TABLE notes ADD COLUMN answer TEXT COLLATE "C" NOT NULL DEFAULT '' CHECK (answer IN ('', 'approved', 'changes'));
-- When the author deleted the note. It stays without its words while it has replies.
ALTER TABLE notes ADD COLUMN deleted_at BIGINT;
ALTER TABLE verdicts ADD COLUMN note_id BIGINT REFERENCES notes (id) ON DELETE CASCADE;

-- Answers from before this are about no moment of the video.
INSERT INTO notes (task_id, share_id, guest_id, at, until, frame, body, mark, internal, created_at, answer)
SELECT v.task_id, c.share_id, v.guest_id, -1, 0, -1, v.body, '', 0, v.changed_at, v.answer
FROM verdicts v JOIN guests c ON c.id = v.guest_id ORDER BY v.changed_at, v.task_id, v.guest_id;
UPDATE verdicts SET note_id = (SELECT n.id FROM notes n WHERE n.task_id = verdicts.task_id AND n.guest_id = verdicts.guest_id AND n.answer <> '');
CREATE UNIQUE INDEX verdicts_of_note ON verdicts (note_id);

-- Processes of the previous version go on beside this one, and store answers without a note.
-- Those get one here, and what was answered before stays as an earlier answer.
CREATE FUNCTION verdict_noted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted BIGINT;
BEGIN
  IF EXISTS (SELECT 1 FROM notes n WHERE n.id = NEW.note_id AND n.answer = NEW.answer AND n.body = NEW.body) THEN
    RETURN NULL;
  END IF;
  INSERT INTO notes (task_id, share_id, guest_id, at, until, frame, body, mark, internal, created_at, answer)
  SELECT NEW.task_id, c.share_id, NEW.guest_id, -1, 0, -1, NEW.body, '', 0, NEW.changed_at, NEW.answer FROM guests c WHERE c.id = NEW.guest_id
  RETURNING id INTO noted;
  UPDATE verdicts SET note_id = noted WHERE task_id = NEW.task_id AND guest_id = NEW.guest_id;
  DELETE FROM notes n WHERE n.id = NEW.note_id AND n.body = '' AND NOT EXISTS (SELECT 1 FROM notes r WHERE r.parent_id = n.id);
  RETURN NULL;
END $$;
CREATE TRIGGER verdict_noted AFTER INSERT OR UPDATE ON verdicts FOR EACH ROW EXECUTE FUNCTION verdict_noted();
