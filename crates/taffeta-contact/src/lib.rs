//! Obstacles, closest points and the contact response.
