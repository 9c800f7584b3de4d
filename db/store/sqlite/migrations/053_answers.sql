-- What guests answer is a note, too: answer says which answer the note was given with. Without
-- a row of verdicts that names the note, it is an earlier answer.
ALTER TABLE notes ADD COLUMN answer TEXT NOT NULL DEFAULT '' CHECK (answer IN ('', 'approved', 'changes'));
-- When the author deleted the note. It stays without its words while it has replies.
ALTER TABLE notes ADD COLUMN deleted_at INTEGER;
ALTER TABLE verdicts ADD COLUMN note_id INTEGER REFERENCES notes (id) ON DELETE CASCADE;

-- Answers from before this are about no moment of the video.
INSERT INTO notes (task_id, share_id, guest_id, at, until, frame, body, mark, internal, created_at, answer)
SELECT v.task_id, c.share_id, v.guest_id, -1, 0, -1, v.body, '', 0, v.changed_at, v.answer
FROM verdicts v JOIN guests c ON c.id = v.guest_id ORDER BY v.changed_at, v.task_id, v.guest_id;
UPDATE verdicts SET note_id = (SELECT n.id FROM notes n WHERE n.task_id = verdicts.task_id AND n.guest_id = verdicts.guest_id AND n.answer <> '');
CREATE UNIQUE INDEX verdicts_of_note ON verdicts (note_id);
